package io.anneal.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.Mutation;
import io.anneal.io.StorageException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class StoreStateTest {
    private static final String DISK = "check free space";

    private final List<Path> syncsFailed = new ArrayList<>();
    private final StoreState state = new StoreState("/store", reason -> {}, reason -> syncsFailed.add(reason.file()));

    private String refusalAfter(Throwable failure) {
        state.fail(state.broken(failure));
        return state.refusal().getMessage();
    }

    @Test
    void shouldSendToTheDiskWhenItFailed() {
        StorageException full = new StorageException("write", Path.of("/store/a"), new IOException("No space left"));
        assertThat(state.broken(full)).isSameAs(full);
        assertThat(refusalAfter(full))
                .contains("nothing is written any more", DISK, "file=/store/a", "reason=No space left");
        assertThat(state.refusal().isDisk()).isTrue();
        assertThat(state.broken(new IOException("not ours"))).hasMessageContainingAll(DISK, "not ours");
    }

    @Test
    void shouldOwnUpToAFaultOfItsOwn() {
        IllegalStateException fault = new IllegalStateException("rows out of order");
        assertThat(refusalAfter(fault))
                .contains("fault in Anneal", "report it", "store=/store", "IllegalStateException: rows out of order")
                .doesNotContain(DISK);
        assertThat(state.refusal().isDisk()).isFalse();
        assertThat(state.refusal().reason()).isSameAs(fault);
        CorruptItemException corrupt = catchThrowableOfType(CorruptItemException.class, () -> Mutation.of(new byte[1]));
        assertThat(state.broken(corrupt))
                .hasMessageContaining("fault in Anneal")
                .hasMessageNotContaining(DISK);
    }

    @Test
    void shouldTellOfTheFirstSyncThatFailedWhateverFailedBefore() {
        IOException cause = new IOException("Input/output error");
        state.fail(new StorageException("write", Path.of("/store/full"), cause));
        state.fail(StorageException.ofFailedSync(Path.of("/store/closed"), new ClosedChannelException()));
        assertThat(syncsFailed).isEmpty();
        StorageException sync = StorageException.ofFailedSync(Path.of("/store/log"), cause);
        IOException hiding = new IOException("could not close either");
        hiding.addSuppressed(sync);
        state.fail(state.broken(hiding));
        state.fail(StorageException.ofFailedSync(Path.of("/store/later"), cause));
        assertThat(syncsFailed).containsExactly(Path.of("/store/log"));
        assertThat(state.failure().file()).isEqualTo(Path.of("/store/full"));
    }

    @Test
    void shouldSayThatMemoryIsUsedUp() {
        assertThat(refusalAfter(new OutOfMemoryError("Java heap space")))
                .contains("memory is used up", "-Xmx", "Java heap space")
                .doesNotContain(DISK)
                .doesNotContain("fault in Anneal");
    }
}
