/**
 * The commands, thin: options in, text out. May import everything but src-test. Imported by nothing. Each command runs
 * on the thread that called it.
 */
package io.anneal.cli;
