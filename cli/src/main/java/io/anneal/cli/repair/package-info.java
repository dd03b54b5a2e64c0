/**
 * {@code anneal repair} and {@code anneal serve}, and over nodes that run {@code anneal agent} and {@code anneal cluster}: replicas
 * as the command line names them, and the addresses and credentials of peers. May import cli.command and what lies below it. Imported by cli, cli.rows, cli.stream and
 * cli.demo. Each command runs on the thread that called it.
 */
package io.anneal.cli.repair;
