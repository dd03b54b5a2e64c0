package io.anneal.cli.command;

/** A text as a shell takes it for one word, for commands that are printed to be copied. */
public final class ShellWord {
    private ShellWord() {}

    public static String of(String text) {
        return text.matches("[\\w/.,:=@%+-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
