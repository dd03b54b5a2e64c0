/**
 * Copies of keys from the one side to the other: out of the journal, after reads that fell back, of what one side decided, of keys
 * that a caller names. May import dualdao.config, journal, order and control. Imported by dualdao.route. Any thread may call.
 */
package io.anneal.dualdao.copy;
