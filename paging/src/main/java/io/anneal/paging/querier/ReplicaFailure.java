package io.anneal.paging.querier;

import java.io.IOException;

/** One of several replicas that are merged gave no page: names it, so that another one can be asked. */
public final class ReplicaFailure extends IOException {
    private static final long serialVersionUID = 1L;

    private final String replica;

    ReplicaFailure(String replica, IOException cause) {
        super(
                "replica that is merged with others gave no page, replica=" + replica + ", reason="
                        + cause.getMessage(),
                cause);
        this.replica = replica;
    }

    public String replica() {
        return replica;
    }

    public IOException reason() {
        return (IOException) getCause();
    }
}
