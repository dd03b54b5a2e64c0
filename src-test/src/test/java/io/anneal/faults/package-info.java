/**
 * What goes wrong around a repair: processes killed, peers that are something else, files that are wrong. Each ends in one
 * clear line and loses nothing. May import everything. Imported by nothing.
 */
package io.anneal.faults;
