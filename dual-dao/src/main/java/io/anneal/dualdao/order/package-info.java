/**
 * Which work waits for which: writes to a key for each other, work beside calls for its turn and for room. May import
 * nothing of ours. Imported by dualdao. Any thread may call; locks are held for moments, never while work runs.
 */
package io.anneal.dualdao.order;
