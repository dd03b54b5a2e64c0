package io.anneal.dualdao.phase;

import java.nio.file.Path;
import java.util.Optional;

public final class FilePhaseMark implements PhaseMark {
    public FilePhaseMark(Path directory) {}

    @Override
    public Optional<Seen> read(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void remember(String name, Seen seen) {}
}
