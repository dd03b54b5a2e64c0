/**
 * Phased migration between two implementations of a caller's own DAO interface, origin and target. Empty until
 * its turn comes. May import nothing of ours. Imported by migrate.
 */
package io.anneal.dualdao;
