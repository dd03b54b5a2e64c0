package io.anneal.sstable.file;

import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** TOC.txt: the package has the grammar. */
public final class TableOfContents {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.+-]*");

    private TableOfContents() {}

    /** Whether the component should be there; false when there is no TOC to tell. */
    public static boolean lists(Descriptor descriptor, Component component) throws IOException {
        return descriptor.has(Component.TOC) && read(descriptor).contains(component.fileSuffix());
    }

    private static List<String> read(Descriptor descriptor) throws IOException {
        byte[] bytes = ComponentFiles.readWhole(descriptor, Component.TOC);
        return List.of(new String(bytes, StandardCharsets.ISO_8859_1).split("\n"));
    }

    /** Checks that what is listed is there, and that what is there is listed; returns what is listed. */
    public static List<String> verify(Descriptor descriptor) throws IOException {
        Path file = descriptor.file(Component.TOC);
        List<String> listed = read(descriptor);
        for (String name : listed) {
            if (!NAME.matcher(name).matches()) {
                throw new CorruptSSTableException(
                        file, CorruptSSTableException.NO_POSITION, "line is no component's name");
            }
            Path component = descriptor.directory().resolve(descriptor.baseName() + "-" + name);
            if (!Files.exists(component)) {
                throw ComponentFiles.missing(component);
            }
        }
        for (Component component : Component.values()) {
            if (descriptor.has(component) && !listed.contains(component.fileSuffix())) {
                throw new CorruptSSTableException(
                        file,
                        CorruptSSTableException.NO_POSITION,
                        "component is there but not listed, component=" + component.fileSuffix());
            }
        }
        return listed;
    }
}
