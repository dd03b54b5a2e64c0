package io.anneal.bench.scenario;

import java.nio.file.Path;

/**
 * How the command {@code anneal} is started in a process of its own.
 *
 * @param java the program
 * @param mainClass takes the command line's words as arguments
 */
public record OwnCommand(Path java, String classPath, String mainClass) {}
