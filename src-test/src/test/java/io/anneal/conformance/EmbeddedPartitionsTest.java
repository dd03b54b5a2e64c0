package io.anneal.conformance;

import io.anneal.harness.store.EmbeddedPartitionDao;
import io.anneal.harness.store.PartitionDao;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

final class EmbeddedPartitionsTest extends PartitionDaoContract {
    @TempDir
    private Path directory;

    private PartitionDao dao;

    @BeforeEach
    void open() throws IOException {
        dao = EmbeddedPartitionDao.open(directory);
    }

    @AfterEach
    void close() {
        dao.close();
    }

    @Override
    PartitionDao dao() {
        return dao;
    }

    @Override
    PartitionDao again() throws IOException {
        close();
        open();
        return dao;
    }
}
