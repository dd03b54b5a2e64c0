/**
 * What goes wrong around a repair and under a store: processes killed, peers that are something else, files that are wrong,
 * disks that fail. Each ends in one clear line and loses nothing. May import everything. Imported by nothing.
 */
package io.anneal.faults;
