package io.anneal.harness.report;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Writes a story to a file, in the form that the file's name asks for. */
public final class StoryFile {
    private static final String HTML = ".html";
    private static final String PNG = ".png";

    private StoryFile() {}

    /** Refuses a name of another form; before a run rather than after it. */
    public static void check(Path file) {
        String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
        if (!name.endsWith(HTML) && !name.endsWith(PNG)) {
            throw new IllegalArgumentException("a report is a file " + HTML + " or " + PNG + ", file=" + file);
        }
    }

    public static void write(MigrationStory story, Path file) throws IOException {
        check(file);
        Path directory = file.toAbsolutePath().getParent();
        Files.createDirectories(directory);
        if (file.getFileName().toString().toLowerCase(Locale.ROOT).endsWith(PNG)) {
            try (OutputStream out = Files.newOutputStream(file)) {
                new StoryPicture(story).write(out);
            }
        } else {
            Files.writeString(file, new StoryHtml(story).text(), StandardCharsets.UTF_8);
        }
    }
}
