/**
 * {@code anneal store}: looks into the directory of a store, checks it, takes snapshots. May import cli.command and
 * what lies below it. Imported by cli. Each command runs on the thread that called it.
 */
package io.anneal.cli.store;
