/**
 * What the library takes from the process that it runs in: time, threads, randomness, waiting. Everything that needs one of these
 * gets it through its constructor, so that tests and simulations own it. Log lines are paced by it. May import nothing of ours. Imported by every other
 * package of core and by those above. Everything here may be used by any thread.
 */
package io.anneal.environment;
