/** Load as a service makes it, for trying a migration out. May import migrate.store. Imported by migrate. */
package io.anneal.migrate.load;
