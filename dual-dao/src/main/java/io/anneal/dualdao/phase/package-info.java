/**
 * What is in force: phases, their records, notes and heartbeats, and the stores and marks that hold them. May import nothing of ours.
 * Imported by all of dualdao, by migrate, harness and cli.
 */
package io.anneal.dualdao.phase;
