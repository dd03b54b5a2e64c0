/**
 * {@code anneal stream}: data from nodes to nodes, wholesale. May import cli.repair, cli.command and what lies below them.
 * Imported by cli. Each command runs on the thread that called it.
 */
package io.anneal.cli.stream;
