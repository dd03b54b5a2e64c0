package io.anneal.harness.store;

import io.anneal.dualdao.phase.PhaseMark;
import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/**
 * A store opened by its URL. Closing it closes the DAO.
 *
 * @param mark where the store can keep the newest phase seen; memory and DAOs of the caller's own can't
 * @param classes the loader of a DAO of the caller's own
 */
public record OpenStore(StoreUrl url, PartitionDao dao, Optional<PhaseMark> mark, Optional<? extends Closeable> classes)
        implements Closeable {
    @Override
    public void close() throws IOException {
        try {
            dao.close();
        } finally {
            if (classes.isPresent()) {
                classes.get().close();
            }
        }
    }
}
