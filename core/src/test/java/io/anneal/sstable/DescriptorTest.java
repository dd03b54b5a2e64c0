package io.anneal.sstable;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which names of files are SSTables'. */
final class DescriptorTest {
    private static final Path DIRECTORY = Path.of("/data/ks/t");

    private static Optional<Descriptor> of(String file) {
        return Descriptor.of(DIRECTORY.resolve(file));
    }

    @ParameterizedTest
    @CsvSource({
        "nb-1-big-Data.db, nb, 1, big",
        "oa-3g8w_00qf_4pbog2i7h2c7am0uoe-big-TOC.txt, oa, 3g8w_00qf_4pbog2i7h2c7am0uoe, big",
        "da-2-bti-Partitions.db, da, 2, bti",
        "lb-7-big-Data.db, lb, 7, big"
    })
    void shouldReadNames(String file, String version, String generation, String format) {
        Descriptor descriptor = of(file).orElseThrow();
        assertThat(descriptor).isEqualTo(new Descriptor(DIRECTORY, version, generation, format));
        assertThat(descriptor.hasKnownName()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "ks-table-ka-1-Data.db, ka, ks-table-ka-1",
        "Keyspace1-Standard1-jb-12-Index.db, jb, Keyspace1-Standard1-jb-12",
        "ks-table-ka-1-Digest.sha1, ka, ks-table-ka-1",
        "ks-tmp-ka-1-Data.db, ka, ks-tmp-ka-1",
        "ks-table.by_v-ka-1-Data.db, ka, ks-table.by_v-ka-1",
        "ks-table.by-v-ka-1-Data.db, ka, ks-table.by-v-ka-1",
        "my-ks-table-ka-1-Data.db, '', my-ks-table-ka-1",
        "Standard1-g-1-Data.db, '', Standard1-g-1",
        "mc-tmp-1-big-Data.db, '', mc-tmp-1-big",
        "tmp-mc-1-big-Data.db, '', tmp-mc-1-big",
        "mc-1-big-tmp-Data.db, '', mc-1-big-tmp",
        "NB-1-big-Data.db, '', NB-1-big",
        "nb-1-BIG-Data.db, '', nb-1-BIG",
        "nb-1-Data.db, '', nb-1",
        "1-Data.db, '', 1",
        "big-Data.db, '', big",
        "-Data.db, '', ''",
        "._nb-1-big-Data.db, '', ._nb-1-big",
        "a b-Data.db, '', a b"
    })
    void shouldKnowDataWithOtherNames(String file, String version, String baseName) {
        Descriptor descriptor = of(file).orElseThrow();
        assertThat(descriptor.version()).isEqualTo(version);
        assertThat(descriptor.baseName()).isEqualTo(baseName);
        assertThat(descriptor.hasKnownName()).isFalse();
        assertThat(SSTableVersion.of(descriptor)).isEmpty();
        assertThat(of(descriptor.file(Component.DATA).getFileName().toString())).contains(descriptor);
    }

    @Test
    void shouldJoinComponentsOfOneOldSSTable() {
        assertThat(of("ks-table-ka-1-Data.db")).isEqualTo(of("ks-table-ka-1-TOC.txt"));
        assertThat(of("ks-table-ka-1-Data.db")).isNotEqualTo(of("ks-table-ka-2-Data.db"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Data.db",
                "nb-1-big-TermsData.db",
                "nb-1-big-SAI+aa+by_v+TermsData.db",
                "nb-1-big-Data.db.tmp",
                ".anneal-staged.nb-1-big-Data.db.part",
                "ks-table-ka-1-notes.txt",
                "ks-table-tmp-ka-1-Data.db",
                "ks-table.by_v-tmp-ka-1-Data.db",
                "ks-table-tmplink-jb-1-Data.db",
                "tmp-la-1-big-Data.db",
                "tmplink-lb-1-big-Index.db",
                "ks-table-tmp-ka-1-Index.db",
                "schema.cql",
                "manifest.json"
            })
    void shouldPassOverOtherFiles(String file) {
        assertThat(of(file)).isEmpty();
    }
}
