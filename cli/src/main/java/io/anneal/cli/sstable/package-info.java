/**
 * {@code anneal sstable}: looks into SSTable files, checks them, rewrites them, makes them up. May import cli.command
 * and what lies below it. Imported by cli. Each command runs on the thread that called it.
 */
package io.anneal.cli.sstable;
