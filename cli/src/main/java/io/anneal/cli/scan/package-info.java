/**
 * {@code anneal scan}: the rows of a table page by page, as text. May import cli.rows, cli.command, paging and what lies below them.
 * Imported by cli. Each command runs on the thread that called it.
 */
package io.anneal.cli.scan;
