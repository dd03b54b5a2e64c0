package io.anneal.cli.repair;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.Counted;
import io.anneal.repair.DriftEstimate;
import java.io.IOException;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;

/** How a sample looks to a person, and as JSON. */
final class DriftOutput {
    private DriftOutput() {}

    /** @param name of a table or a keyspace */
    static void print(PrintStream out, String name, DriftEstimate estimate) {
        String sampled = number(100 * estimate.share()) + " % sampled";
        out.println(name + ": "
                + (estimate.rows() == 0 && estimate.wasEqual() && estimate.share() < 1
                        ? "no rows in the " + sampled + ": nothing is known, sample more"
                        : estimate.wasEqual()
                                ? "no difference in the " + sampled
                                : number(100 * estimate.shareDiffering()) + " % of the rows differ in the " + sampled));
        out.printf(
                Locale.ROOT,
                "  %s in %,d of %s; %s and %s differ, in %s%n",
                Counted.of(estimate.rows(), "row"),
                estimate.slicesWithRows(),
                Counted.of(estimate.slices(), "slice"),
                Counted.of(estimate.rowsDiffering(), "row"),
                Counted.of(estimate.deletionsDiffering(), "deletion"),
                Counted.of(estimate.slicesDiffering(), "slice"));
        if (estimate.rows() > 0) {
            out.printf(
                    Locale.ROOT,
                    "  of all rows %s %% to %s %% differ (95 %% of samples are right): about %,d, from %,d to %,d;"
                            + " replicas lack about %s%n",
                    number(100 * estimate.low()),
                    number(100 * estimate.high()),
                    estimate.rowsDifferingOfAll(),
                    estimate.rowsDifferingLow(),
                    estimate.rowsDifferingHigh(),
                    Counted.of(estimate.bytesLackingOfAll(), "byte"));
        }
        if (!estimate.isReliable()) {
            out.println("  too few slices have rows for that to be more than a guess: sample more");
        }
    }

    static void printKeys(PrintStream out, DriftEstimate estimate, DriftKeys.Found found, Instant now) {
        if (found.oldestMicros().isPresent()) {
            Instant oldest = instant(found.oldestMicros().getAsLong());
            out.printf(
                    Locale.ROOT,
                    "  oldest difference: written %s, %s ago%n",
                    oldest,
                    Counted.of(Duration.between(oldest, now).toDays(), "day"));
        }
        if (found.read() < estimate.rowsDiffering()) {
            out.printf(Locale.ROOT, "  %,d of the rows that differ were read for that%n", found.read());
        }
        if (found.ghosts() > 0) {
            out.printf(
                    Locale.ROOT,
                    "  %,d of %,d (%s %%): an expired deletion of one replica covers what lives on another; a repair"
                            + " spreads the deletion, and Cassandra's would bring the rows back%n",
                    found.ghosts(),
                    found.read(),
                    number(100.0 * found.ghosts() / found.read()));
            found.ghostKeys().forEach(key -> out.println("    " + key));
        }
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    /** Three digits that count. */
    private static String number(double value) {
        return value == 0
                ? "0"
                : value >= 100
                        ? "100"
                        : new BigDecimal(value)
                                .round(new MathContext(3))
                                .stripTrailingZeros()
                                .toPlainString();
    }

    /** The object {@code sample}. */
    static void write(JsonGenerator json, DriftEstimate estimate, long seed, Optional<DriftKeys.Found> keys)
            throws IOException {
        json.writeObjectFieldStart("sample");
        json.writeNumberField("percent", 100 * estimate.share());
        json.writeNumberField("seed", seed);
        json.writeNumberField("slices", estimate.slices());
        json.writeNumberField("slices-with-rows", estimate.slicesWithRows());
        json.writeNumberField("slices-differing", estimate.slicesDiffering());
        json.writeNumberField("rows", estimate.rows());
        json.writeNumberField("rows-differing", estimate.rowsDiffering());
        json.writeNumberField("deletions-differing", estimate.deletionsDiffering());
        json.writeNumberField("share-differing", estimate.shareDiffering());
        json.writeNumberField("share-low", estimate.low());
        json.writeNumberField("share-high", estimate.high());
        json.writeBooleanField("reliable", estimate.isReliable());
        json.writeNumberField("rows-differing-of-all", estimate.rowsDifferingOfAll());
        json.writeNumberField("bytes-lacking-of-all", estimate.bytesLackingOfAll());
        if (keys.isPresent()) {
            DriftKeys.Found found = keys.get();
            json.writeNumberField("rows-looked-at", found.read());
            json.writeStringField(
                    "oldest-difference",
                    found.oldestMicros().isPresent()
                            ? instant(found.oldestMicros().getAsLong()).toString()
                            : null);
            json.writeNumberField("ghosts", found.ghosts());
            json.writeArrayFieldStart("ghost-keys");
            for (String key : found.ghostKeys()) {
                json.writeString(key);
            }
            json.writeEndArray();
        }
        json.writeEndObject();
    }
}
