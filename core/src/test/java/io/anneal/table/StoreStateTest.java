package io.anneal.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.Mutation;
import io.anneal.io.StorageException;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class StoreStateTest {
    private static final String DISK = "check free space";

    private final StoreState state = new StoreState("/store", reason -> {});

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
    void shouldSayThatMemoryIsUsedUp() {
        assertThat(refusalAfter(new OutOfMemoryError("Java heap space")))
                .contains("memory is used up", "-Xmx", "Java heap space")
                .doesNotContain(DISK)
                .doesNotContain("fault in Anneal");
    }
}
