/**
 * Migrations to try out, and the walk through the phases: runs under load that are checked and told, the work between phases. May
 * import its sub-packages, migrate and dualdao. Imported by cli. A walk and a run belong to the thread that called them.
 */
package io.anneal.harness;
