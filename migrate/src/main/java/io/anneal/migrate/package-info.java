/**
 * The migration harness around dual-dao: stores by URL, the walk through the phases, its checks. May import its sub-packages,
 * dual-dao, core, repair, streaming, paging. Imported by cli.
 */
package io.anneal.migrate;
