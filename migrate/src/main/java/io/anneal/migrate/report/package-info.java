/** The story of a migration as charts. May import dualdao. Imported by migrate. */
package io.anneal.migrate.report;
