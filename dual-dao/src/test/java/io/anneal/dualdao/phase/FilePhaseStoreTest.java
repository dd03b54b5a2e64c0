package io.anneal.dualdao.phase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.dualdao.control.ControlPolicy;
import io.anneal.dualdao.control.PhaseControl;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code PhaseStoreContract} doesn't ask: files, what becomes of damaged ones, and other processes. */
final class FilePhaseStoreTest {
    private static final String NAME = "users";
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");
    private static final int CHILD_CHANGES = 40;
    private static final int INTERRUPTED_CHANGES = 50;
    private static final int INTERRUPTIONS = 200;
    private static final long INTERRUPTION_NANOS = TimeUnit.MILLISECONDS.toNanos(7);

    @TempDir
    Path directory;

    private FilePhaseStore store() {
        return new FilePhaseStore(directory);
    }

    private Path file(String name) {
        return directory.resolve(name);
    }

    /** A migration in phase 2, with a note and an instance. */
    private FilePhaseStore begun() {
        FilePhaseStore store = store();
        PhaseRecord first = PhaseRecord.first("ann", AT, "it begins = 100 %");
        store.create(NAME, first);
        store.compareAndSet(NAME, 1, first.changed(Phase.WRITE_BOTH, 100, "bob", AT.plusSeconds(1), ""));
        store.addNote(NAME, new PhaseNote(AT, 2, "ann", PhaseNote.Kind.TEXT, Map.of(Facts.TEXT, "hello")));
        store.heartbeat(NAME, new Heartbeat("host/1", 2, true, AT, Map.of(Facts.KIND, "dao")));
        return store;
    }

    private void assertDamaged(String... words) {
        assertThatThrownBy(() -> store().read(NAME))
                .isInstanceOf(PhaseStoreException.class)
                .message()
                .contains("phase file is damaged", file("users.phase").toString())
                .contains(words);
        assertThatThrownBy(() -> store().compareAndSet(
                                NAME, 2, new PhaseRecord(3, Phase.READ_TARGET, 100, Phase.READ_TARGET, "ann", AT, "")))
                .isInstanceOf(PhaseStoreException.class);
        assertThatThrownBy(() -> store().create(NAME, PhaseRecord.first("eve", AT, "")))
                .isInstanceOf(PhaseStoreException.class);
    }

    @Test
    void shouldWriteTheFormatThatItPromises() throws IOException {
        begun();

        assertThat(Files.readString(file("users.phase"))).isEqualTo("""
                        anneal-phase 2 records
                        f5983c4e 1 1 100 1 2026-01-01T00:00:00Z ann it%20begins%20%3d%20100%20%25
                        e4da4f2b 2 2 100 2 2026-01-01T00:00:01Z bob %
                        91ee49be end 2
                        """);
        assertThat(Files.readString(file("users.notes"))).contains(" 2026-01-01T00:00:00Z 2 ann TEXT text=hello\n");
        assertThat(Files.readString(file("users.instances/host%2f1.beat")))
                .contains(" host/1 2 true 2026-01-01T00:00:00Z kind=dao\n");
    }

    @Test
    void shouldReadTheFormatThatItPromisedFirst() throws IOException {
        Files.writeString(file("users.phase"), """
                anneal-phase 1 records
                2009e3ab 1 1 100 true 1 2026-01-01T00:00:00Z ann it%20begins%20%3d%20100%20%25
                1bc278e4 2 2 100 true 2 2026-01-01T00:00:01Z bob %
                1646f916 end 2
                """);

        assertThat(store().history(NAME))
                .containsExactly(
                        PhaseRecord.first("ann", AT, "it begins = 100 %"),
                        new PhaseRecord(2, Phase.WRITE_BOTH, 100, Phase.WRITE_BOTH, "bob", AT.plusSeconds(1), ""));
    }

    @Test
    void shouldRefuseAPhaseFourOfTheFirstFormatInWhichReadsFallBack() throws IOException {
        Files.writeString(file("users.phase"), """
                anneal-phase 1 records
                96dad399 1 1 100 true 1 2026-01-01T00:00:00Z ann %
                1ba9cea6 2 4 100 true 4 2026-01-01T00:00:01Z bob %
                48eec7b8 end 2
                """);
        assertThatThrownBy(() -> store().read(NAME))
                .isInstanceOf(PhaseStoreException.class)
                .message()
                .contains("phase 4 with fallback is of an older version of this library", "name=users", "version=2");
        assertThatThrownBy(() -> store().compareAndSet(
                                NAME, 2, new PhaseRecord(3, Phase.TARGET_ONLY, 100, Phase.TARGET_ONLY, "ann", AT, "")))
                .isInstanceOf(PhaseStoreException.class);

        Files.writeString(file("users.phase"), """
                anneal-phase 1 records
                96dad399 1 1 100 true 1 2026-01-01T00:00:00Z ann %
                1ba9cea6 2 4 100 true 4 2026-01-01T00:00:01Z bob %
                634a03c4 3 4 100 false 4 2026-01-01T00:00:02Z bob %
                147e78df end 3
                """);
        assertThat(store().read(NAME))
                .contains(
                        new PhaseRecord(3, Phase.WRITE_TARGET, 100, Phase.WRITE_TARGET, "bob", AT.plusSeconds(2), ""));
    }

    @Test
    void shouldTellEveryShorterFileFromAWholeOne() throws IOException {
        begun();
        byte[] whole = Files.readAllBytes(file("users.phase"));
        for (int length = 0; length < whole.length; length++) {
            Files.write(file("users.phase"), java.util.Arrays.copyOf(whole, length));
            int cut = length;
            assertThatThrownBy(() -> store().read(NAME), "cut to %d bytes", cut)
                    .isInstanceOf(PhaseStoreException.class)
                    .hasMessageContaining("users.phase");
        }
    }

    @Test
    void shouldTellEveryFlippedBit() throws IOException {
        begun();
        byte[] whole = Files.readAllBytes(file("users.phase"));
        for (int bit = 0; bit < whole.length * 8; bit++) {
            byte[] damaged = whole.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            Files.write(file("users.phase"), damaged);
            assertThatThrownBy(() -> store().read(NAME), "bit %d", bit)
                    .isInstanceOf(PhaseStoreException.class)
                    .hasMessageContaining("users.phase");
        }
    }

    @Test
    void shouldNameTheLineAndTheReason() throws IOException {
        begun();
        Path file = file("users.phase");
        String whole = Files.readString(file);
        List<String> lines = Files.readAllLines(file);

        Files.writeString(file, "");
        assertDamaged("line=1", "the file is empty");
        Files.writeString(file, whole.substring(0, whole.length() - 1));
        assertDamaged("line=4", "the line has no end, the file is cut short");
        Files.writeString(file, joined(lines.subList(0, 3)));
        assertDamaged("line=3", "the last line is missing, the file is cut short");
        Files.writeString(file, joined(List.of(lines.get(0), lines.get(2), lines.get(3))));
        assertDamaged("line=2", "the checksum does not fit");
        Files.writeString(file, whole.replace("2 100", "2 900"));
        assertDamaged("line=3", "the checksum does not fit");
        Files.writeString(file, whole + whole);
        assertDamaged("line=5", "there is more after the last line");
        Files.writeString(file, "phase=2\n");
        assertDamaged("line=1", "it does not begin as a phase file");
        Files.writeString(file, whole.replace("anneal-phase 2", "anneal-phase 0"));
        assertDamaged("line=1", "its format version is 0, this library knows 1");
        Files.writeString(file, whole.replace("anneal-phase 2", "anneal-phase 3"));
        assertDamaged("line=1", "its format version is 3, this library knows 1 to 2");
        Files.copy(file("users.notes"), file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        assertDamaged("line=1", "it holds notes and not records");
        Files.writeString(file, lines.get(0) + "\nabc\n");
        assertDamaged("line=2", "the line has no checksum");
    }

    private static String joined(List<String> lines) {
        return lines.stream().map(line -> line + "\n").collect(Collectors.joining());
    }

    @Test
    void shouldNameTheLineOfAValueThatCanNotBe() {
        PhaseFile.replace(file("users.phase"), "records", List.of("1 1 100 1 2026-01-01T00:00:00Z ann % more"));
        assertDamaged("line=2", "fields are too many");
        PhaseFile.replace(file("users.phase"), "records", List.of("1 1 100 1"));
        assertDamaged("line=2", "fields are missing");
        PhaseFile.replace(file("users.phase"), "records", List.of("1 6 100 1 2026-01-01T00:00:00Z ann %"));
        assertDamaged("line=2", "not a phase, phase=6");
        PhaseFile.replace(file("users.phase"), "records", List.of("1 1 100 1 yesterday ann %"));
        assertDamaged("line=2", "yesterday");
        PhaseFile.replace(file("users.phase"), "records", List.of("1 1 100 1 2026-01-01T00:00:00Z ann %2"));
        assertDamaged("line=2", "escape is cut short");
        PhaseFile.replace(file("users.phase"), "records", List.of("2 1 100 1 2026-01-01T00:00:00Z ann %"));
        assertDamaged("line=2", "version 2 stands where 1 belongs");
        PhaseFile.replace(file("users.phase"), "records", List.of());
        assertDamaged("line=2", "it holds no record");
    }

    @Test
    void shouldSayThatALostRecordWasThere() throws IOException {
        begun();
        Files.delete(file("users.phase"));
        assertLost("instance=host/1, instanceVersion=2");
        store().forget(NAME, "host/1");
        assertLost("notes=1");
        Files.delete(file("users.notes"));

        PhaseControl control = PhaseControl.of(store(), NAME, () -> AT, ControlPolicy.DEFAULTS);
        assertThatThrownBy(control::current).hasMessageContaining("a migration must be created first");
        control.create("eve", "");
    }

    private void assertLost(String traces) {
        PhaseControl control = PhaseControl.of(store(), NAME, () -> AT, ControlPolicy.DEFAULTS);
        for (ThrowingCallable call : List.<ThrowingCallable>of(control::current, () -> control.create("eve", ""))) {
            assertThatThrownBy(call)
                    .isInstanceOf(PhaseStoreException.class)
                    .hasMessageContaining("phase record is lost")
                    .hasMessageContaining("'anneal migrate recover'")
                    .hasMessageContaining(traces);
        }
        assertThatThrownBy(() -> store().heartbeat(NAME, new Heartbeat("b", 1, true, AT, Map.of())))
                .isInstanceOf(PhaseStoreException.class)
                .hasMessageContaining("no phase record of that name");
    }

    @Test
    void shouldNameADamagedHeartbeatAndGoOnWhenItIsTakenOff() throws IOException, InterruptedException {
        FilePhaseStore store = begun();
        Path beat = file("users.instances/host%2f1.beat");
        Files.writeString(beat, "");
        PhaseControl control = PhaseControl.of(store, NAME, () -> AT, ControlPolicy.DEFAULTS);

        assertThatThrownBy(control::readiness)
                .isInstanceOf(PhaseStoreException.class)
                .hasMessageContaining(beat.toString())
                .hasMessageContaining("the file is empty");
        control.declareDead("host/1", "ann", "its file is empty", nap -> {});
        assertThat(control.instances()).isEmpty();
        assertThat(control.notes())
                .last()
                .satisfies(note -> assertThat(note.kind()).isEqualTo(PhaseNote.Kind.INSTANCE_DEAD));
    }

    @Test
    void shouldNameADamagedFileOfNotes() throws IOException {
        FilePhaseStore store = begun();
        Files.writeString(file("users.notes"), "anneal-phase 1 notes\n");

        assertThatThrownBy(() -> store.notes(NAME))
                .isInstanceOf(PhaseStoreException.class)
                .hasMessageContaining("users.notes")
                .hasMessageContaining("the last line is missing");
        assertThatThrownBy(() -> store.addNote(NAME, new PhaseNote(AT, 1, "ann", PhaseNote.Kind.TEXT, Map.of())))
                .isInstanceOf(PhaseStoreException.class);
    }

    @Test
    void shouldSayWhyItCanNotBeAsked() throws IOException {
        Files.createDirectory(file("users.phase"));
        assertThatThrownBy(() -> store().read(NAME))
                .isInstanceOf(PhaseStoreException.class)
                .hasMessageContaining("phase file can't be read")
                .hasMessageContaining("users.phase");

        Path file = Files.writeString(file("file"), "");
        assertThatThrownBy(() -> new FilePhaseStore(file).create(NAME, PhaseRecord.first("ann", AT, "")))
                .isInstanceOf(PhaseStoreException.class)
                .hasMessageContaining("can't be locked");
    }

    @Test
    void shouldGoOnWhenTheCallerIsInterrupted() throws Exception {
        FilePhaseStore store = begun();
        Thread caller = Thread.currentThread();
        AtomicBoolean ended = new AtomicBoolean();
        Thread other = new Thread(() -> {
            for (int i = 0; i < INTERRUPTIONS && !ended.get(); i++) {
                caller.interrupt();
                LockSupport.parkNanos(INTERRUPTION_NANOS);
            }
        });
        other.start();
        try {
            for (int i = 0; i < INTERRUPTED_CHANGES; i++) {
                PhaseRecord current = store.read(NAME).orElseThrow();
                store.heartbeat(NAME, new Heartbeat("host/1", current.version(), true, AT, Map.of()));
                assertThat(store.compareAndSet(NAME, current.version(), otherPhase(current, "bob", AT)))
                        .isTrue();
            }
        } finally {
            ended.set(true);
            while (other.isAlive()) {
                Thread.interrupted();
            }
            Thread.interrupted();
        }

        assertThat(store().read(NAME).orElseThrow().version()).isEqualTo(2 + INTERRUPTED_CHANGES);
        assertThat(store().heartbeats(NAME)).hasSize(1);
    }

    @Test
    void shouldLeaveTheCallerInterrupted() {
        Thread.currentThread().interrupt();

        begun();

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void shouldMakeNothingBeforeTheFirstRecord() throws IOException {
        FilePhaseStore store = new FilePhaseStore(file("new/store"));

        assertThat(store.read(NAME)).isEqualTo(Optional.empty());
        assertThat(file("new")).doesNotExist();
        store.create(NAME, PhaseRecord.first("ann", AT, ""));
        assertThat(new FilePhaseStore(file("new/store")).read(NAME)).isPresent();
    }

    @Test
    void shouldTakeAwayWhatCrashesLeft() throws IOException {
        FilePhaseStore store = begun();
        Files.writeString(file(".users.phase.1-1.new"), "half");
        Files.writeString(file("users.instances/.host%2f1.beat.1-2.new"), "half");

        assertThat(store.heartbeats(NAME)).hasSize(1);
        PhaseRecord current = store.read(NAME).orElseThrow();
        store.compareAndSet(NAME, 2, current.changed(Phase.ORIGIN_ONLY, 100, "ann", AT, "back"));
        store.forget(NAME, "host/1");

        try (Stream<Path> files = Files.walk(directory)) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".new")))
                    .isEmpty();
        }
    }

    @Test
    void shouldWaitForOtherProcesses() throws Exception {
        FilePhaseStore store = store();
        store.create(NAME, PhaseRecord.first("ann", AT, ""));
        Process first = child("one");
        Process second = child("two");
        try {
            change(store, "parent");
            for (Process child : List.of(first, second)) {
                assertThat(child.waitFor(5, TimeUnit.MINUTES)).isTrue();
                String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(child.exitValue()).as(said).isZero();
            }
        } finally {
            first.destroyForcibly();
            second.destroyForcibly();
        }

        List<PhaseRecord> history = store.history(NAME);
        assertThat(history).hasSize(1 + 3 * CHILD_CHANGES);
        Map<String, Long> changes =
                history.stream().collect(Collectors.groupingBy(PhaseRecord::who, Collectors.counting()));
        assertThat(changes)
                .containsEntry("one", (long) CHILD_CHANGES)
                .containsEntry("two", (long) CHILD_CHANGES)
                .containsEntry("parent", (long) CHILD_CHANGES);
        assertThat(store.notes(NAME)).hasSize(3 * CHILD_CHANGES);
    }

    private Process child(String who) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName(),
                        directory.toString(),
                        who)
                .redirectErrorStream(true)
                .start();
    }

    /** Makes so many changes, each by as many attempts as it takes, and a note of each. */
    private static void change(PhaseStore store, String who) {
        int made = 0;
        while (made < CHILD_CHANGES) {
            PhaseRecord current = store.read(NAME).orElseThrow();
            PhaseRecord next = otherPhase(current, who, AT.plus(Duration.ofSeconds(made)));
            if (store.compareAndSet(NAME, current.version(), next)) {
                made++;
                store.addNote(NAME, new PhaseNote(AT, next.version(), who, PhaseNote.Kind.TEXT, Map.of()));
            }
        }
    }

    private static PhaseRecord otherPhase(PhaseRecord current, String who, Instant at) {
        Phase phase = current.phase() == Phase.ORIGIN_ONLY ? Phase.WRITE_BOTH : Phase.ORIGIN_ONLY;
        return current.changed(phase, 100, who, at, "");
    }

    /** Another process. */
    static final class Child {
        private Child() {}

        public static void main(String[] arguments) {
            change(new FilePhaseStore(Path.of(arguments[0])), arguments[1]);
        }
    }
}
