/**
 * {@code anneal migrate}: shows and changes the phase of a migration, does the work that it needs, runs the harness.
 * May import cli.command and what lies below it. Imported by cli. Each command runs on the thread that called it.
 */
package io.anneal.cli.migrate;
