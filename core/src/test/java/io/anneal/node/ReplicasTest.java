package io.anneal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ReplicasTest {
    private final Replicas replicas = new Replicas();

    private static ReplicaSource source() {
        return (keyspace, table, staged) -> {
            throw new ReplicaException("none");
        };
    }

    @Test
    void shouldGiveTheOnlyOneToWhoKnowsNoName() throws Exception {
        ReplicaSource n1 = source();
        replicas.add("n1", n1);

        assertThat(replicas.get("n1")).isSameAs(n1);
        assertThat(replicas.get(Replicas.THE_ONLY_ONE)).isSameAs(n1);
    }

    @Test
    void shouldSayWhichNamesThereAre() {
        assertThatThrownBy(() -> replicas.get(Replicas.THE_ONLY_ONE))
                .isInstanceOf(ReplicaException.class)
                .hasMessageContaining("names=[]");
        replicas.add("n2", source()).add("n1", source());

        assertThatThrownBy(() -> replicas.get(Replicas.THE_ONLY_ONE))
                .isInstanceOf(ReplicaException.class)
                .hasMessageContaining("name one of them")
                .hasMessageContaining("names=[n1, n2]");
        assertThatThrownBy(() -> replicas.get("n3"))
                .isInstanceOf(ReplicaException.class)
                .hasMessageContaining("name=n3, names=[n1, n2]");
    }

    @Test
    void shouldRefuseANameTwice() {
        replicas.add("n1", source());

        assertThatThrownBy(() -> replicas.add("n1", source())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> replicas.add(Replicas.THE_ONLY_ONE, source()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
