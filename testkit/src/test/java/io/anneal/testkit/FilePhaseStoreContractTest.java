package io.anneal.testkit;

import io.anneal.dualdao.phase.FilePhaseStore;
import io.anneal.dualdao.phase.PhaseStore;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

final class FilePhaseStoreContractTest extends PhaseStoreContract {
    @TempDir
    Path directory;

    @Override
    protected PhaseStore open() {
        return new FilePhaseStore(directory.resolve("phases"));
    }
}
