/**
 * {@code anneal demo}: makes up a cluster, repairs it, and shows what that took. May import cli.repair, cli.command
 * and what lies below them. Imported by cli. The command runs on the thread that called it.
 */
package io.anneal.cli.demo;
