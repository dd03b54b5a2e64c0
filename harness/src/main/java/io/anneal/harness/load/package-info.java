/**
 * Load as a service makes it, for trying a migration out, and the log and checker that hold its answers against what was promised.
 * May import harness.store. Imported by harness and cli. One thread pumps a load; log and statistics take any thread.
 */
package io.anneal.harness.load;
