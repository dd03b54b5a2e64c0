/**
 * The generated lexer and parser of schema text; the grammar is {@code src/main/antlr4/io/anneal/schema/grammar/Cql.g4}.
 * Imports ANTLR's runtime only. For schema alone, which shows none of it. One parser belongs to one thread.
 */
package io.anneal.schema.grammar;
