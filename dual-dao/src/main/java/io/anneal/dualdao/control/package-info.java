/**
 * Who may change the phase when: gates and their evidence, steps, recovery, and how an instance follows. May import dualdao.phase.
 * Imported by the rest of dualdao, by migrate, harness and cli. Any thread may call.
 */
package io.anneal.dualdao.control;
