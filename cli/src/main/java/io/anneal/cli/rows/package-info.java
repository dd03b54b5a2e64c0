/**
 * {@code anneal diff} and {@code anneal explain}: rows of several replicas or files beside each other, and where each
 * came from. May import cli.repair, cli.command and what lies below them. Imported by cli. Each command runs on the
 * thread that called it.
 */
package io.anneal.cli.rows;
