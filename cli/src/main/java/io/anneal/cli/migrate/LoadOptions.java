package io.anneal.cli.migrate;

import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.Subcommand;
import io.anneal.harness.load.LoadConfig;
import io.anneal.harness.load.LoadMix;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The load of a run. */
final class LoadOptions {
    private static final int IN_FLIGHT_MAX = 1024;
    /** Of key ranges, one of which each instance has for itself. */
    private static final int KEYS_BITS = 32;

    private static final int KEYS_MAX = 10_000_000;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "200",
            description = "Operations a second, begun whether or not earlier ones ended; ${DEFAULT-VALUE} unless told.")
    private double rate;

    @Option(
            names = "--keys",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Partitions that the load reads and writes; ${DEFAULT-VALUE} unless told.")
    private int keys;

    @Option(
            names = "--skew",
            paramLabel = "S",
            defaultValue = "0.99",
            description = "How much some keys are preferred, the exponent of Zipf's law; ${DEFAULT-VALUE} unless told.")
    private double skew;

    @Option(
            names = "--mix",
            paramLabel = "R:W:D",
            defaultValue = "80:18:2",
            converter = MixConverter.class,
            description = "Reads to writes to deletes; ${DEFAULT-VALUE} unless told.")
    private LoadMix mix;

    @Option(
            names = "--multi-get",
            paramLabel = "N",
            defaultValue = "5",
            description = "Partitions that one read asks for at once; ${DEFAULT-VALUE} unless told.")
    private int multiGet;

    @Option(names = "--no-load", description = "Make no load.")
    private boolean noLoad;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Repeats the draws of an earlier run; it says which it had.")
    private Long seed;

    void addChecks(Subcommand command, OptionChecks checks) {
        checks.add("--rate", () -> command.require(rate > 0, "--rate takes a number above 0"))
                .add(
                        "--keys",
                        () -> command.require(
                                keys >= 1 && keys <= KEYS_MAX, "--keys takes a number from 1 to " + KEYS_MAX))
                .add("--skew", () -> command.require(skew >= 0, "--skew takes a number from 0 on"))
                .add("--multi-get", () -> command.require(multiGet >= 1, "--multi-get takes a number above 0"));
    }

    boolean isMade() {
        return !noLoad;
    }

    /** Empty for none. */
    Optional<LoadConfig> config(String instance, long otherwiseSeed) {
        return noLoad
                ? Optional.empty()
                : Optional.of(new LoadConfig(
                        rate,
                        firstKey(instance),
                        keys,
                        skew,
                        mix,
                        multiGet,
                        IN_FLIGHT_MAX,
                        seed == null ? otherwiseSeed : seed));
    }

    /** Each instance has keys of its own, since its check knows its own writes alone. */
    private static long firstKey(String instance) {
        return (long) (instance.hashCode() & Integer.MAX_VALUE) << KEYS_BITS;
    }

    /** Reads a mix of operations. */
    static final class MixConverter implements ITypeConverter<LoadMix> {
        @Override
        public LoadMix convert(String text) {
            try {
                return LoadMix.parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException("'" + text + "' is no mix, write READS:WRITES:DELETES");
            }
        }
    }
}
