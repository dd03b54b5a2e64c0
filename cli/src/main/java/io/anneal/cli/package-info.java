/**
 * The command {@code anneal}: the tree of commands, and the options that all of them have. May import everything but
 * src-test. Imported by nothing. Each command runs on the thread that called it.
 */
package io.anneal.cli;
