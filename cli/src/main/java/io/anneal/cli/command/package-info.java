/**
 * What all commands are made of: the streams and options that they share, how errors and progress are reported, exit
 * codes, sizes, keys and values as text. May import everything below cli, but no command. Imported by all of cli. A
 * command runs on the thread that called it.
 */
package io.anneal.cli.command;
