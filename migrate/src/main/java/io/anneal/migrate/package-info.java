/**
 * The migration harness around dual-dao: stores ready to use, back-fill, live page. Empty until its turn comes.
 * May import dual-dao, core, repair, streaming, paging. Imported by cli.
 */
package io.anneal.migrate;
