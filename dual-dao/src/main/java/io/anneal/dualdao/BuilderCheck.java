package io.anneal.dualdao;

import io.anneal.dualdao.config.KeyCopy;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.config.Partitions;
import io.anneal.dualdao.config.WritePolicy;
import io.anneal.dualdao.operation.DaoMethods;
import io.anneal.dualdao.operation.Missing;
import io.anneal.dualdao.operation.OperationSpec;
import io.anneal.dualdao.operation.ReturnAdapters;
import io.anneal.dualdao.transaction.TransactionHook;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.Set;
import java.util.function.Predicate;

/** Looks through all that a builder was told, and collects what is wrong with it instead of stopping at the first. */
final class BuilderCheck<D> {
    /** What is built from, once all is well. */
    record Checked<D>(
            Map<Method, OperationSpec<D, Object[], Object>> methods, List<OperationSpec<D, ?, ?>> operations) {
        List<OperationSpec<D, ?, ?>> all() {
            List<OperationSpec<D, ?, ?>> all = new ArrayList<>(methods.values());
            all.addAll(operations);
            return all;
        }
    }

    private final DualDaoBuilder<D> builder;
    private final List<String> problems = new ArrayList<>();

    private BuilderCheck(DualDaoBuilder<D> builder) {
        this.builder = builder;
    }

    /**
     * @throws DualDaoConfigException naming every problem
     */
    static <D> Checked<D> check(DualDaoBuilder<D> builder) {
        BuilderCheck<D> check = new BuilderCheck<>(builder);
        check.requireParts();
        check.checkSides();
        check.checkMemory();
        check.checkDurability();
        check.checkNumbers();
        Checked<D> checked = check.operations();
        check.checkPolicies();
        check.checkCopy(checked);
        if (!check.problems.isEmpty()) {
            throw new DualDaoConfigException(builder.name, check.problems);
        }
        return checked;
    }

    private void requireParts() {
        require(builder.origin != null, ".origin(...) is missing");
        require(builder.target != null, ".target(...) is missing");
        require(builder.mode != null, ".mode(...) is missing; MIGRATION to move, TEST to try the target out");
        require(
                builder.phases != null,
                ".phases(...) is missing: where the phase lives, such as new FilePhaseStore(directory)");
        Map<String, Object> options = new LinkedHashMap<>();
        options.put("missing", builder.missing);
        options.put("writes", builder.writePolicy);
        options.put("fallback", builder.fallback);
        options.put("partitions", builder.partitions);
        options.put("readRepair", builder.readRepair);
        options.put("compare", builder.comparison);
        options.put("mismatchReread", builder.mismatchRereadDelay);
        options.put("shadow", builder.shadow);
        options.put("metrics", builder.metrics);
        options.put("environment", builder.environment);
        options.put("keyWait", builder.keyWait);
        options.put("transactions", builder.transactions);
        options.put("poll", builder.poll);
        options.put("quietWindow", builder.quietWindow);
        options.put("verifiedWithin", builder.verifiedWithin);
        options.put("closeTimeout", builder.closeTimeout);
        options.forEach((option, value) -> require(value != null, "." + option + "(null)"));
        require(builder.name != null && !builder.name.isBlank(), ".name(...) is blank");
        require(builder.instance == null || !builder.instance.isBlank(), ".instance(...) is blank");
    }

    private void checkSides() {
        if (builder.origin == null || builder.target == null) {
            return;
        }
        if (builder.sameStoreOnPurpose) {
            require(
                    builder.mode != Mode.MIGRATION,
                    ".sameStoreOnPurpose() is for Mode.TEST, which then shows how much two equal sides differ");
            return;
        }
        String fix = "; give two stores, or say .sameStoreOnPurpose() in Mode.TEST";
        if (builder.origin == builder.target) {
            problems.add("origin and target are the same object" + fix);
        } else if (builder.identity != null) {
            String origin = builder.identity.apply(builder.origin);
            String target = builder.identity.apply(builder.target);
            require(
                    origin == null || !origin.equals(target),
                    "origin and target are the same store, store=" + origin + fix);
        }
    }

    private void checkMemory() {
        if (builder.phases != null && builder.phases.persistent()) {
            require(
                    builder.directory != null || builder.withoutDirectory,
                    ".directory(...) is missing: without it this instance can't tell a lost phase store from a new one, and"
                            + " forgets which keys a side lacks; say .withoutDirectory() to go without");
        }
        require(
                builder.directory == null || !builder.withoutDirectory,
                ".directory(...) and .withoutDirectory() can't both be meant");
    }

    private void checkDurability() {
        require(
                builder.durability == null
                        || builder.directory != null && builder.journal == null && builder.mode != Mode.TEST,
                ".durability(...) is of the journal in .directory(...), and there is none");
    }

    private void checkNumbers() {
        percent("compareSample", builder.compareSamplePercent);
        percent("shadowReads", builder.shadowReadPercent);
        require(
                builder.speculativePercentile >= 0 && builder.speculativePercentile < 100,
                ".speculative(...) is no percentile, percentile=" + builder.speculativePercentile);
        require(
                Integer.bitCount(builder.timingSample) == 1 && builder.timingSample > 0,
                ".timingSample(...) is no power of two, calls=" + builder.timingSample);
        if (builder.shadow != null) {
            require(
                    builder.shadow.threads() > 0 && builder.shadow.queueLength() > 0,
                    ".shadow(...) has no room, threads=" + builder.shadow.threads() + ", queueLength="
                            + builder.shadow.queueLength());
        }
        positive("poll", builder.poll);
        positive("targetTimeout", builder.targetTimeout);
        positive("verifiedWithin", builder.verifiedWithin);
        positive("closeTimeout", builder.closeTimeout);
        positive("keyWait", builder.keyWait);
        require(
                builder.quietWindow == null || !builder.quietWindow.isNegative(),
                ".quietWindow(...) is negative, duration=" + builder.quietWindow);
        require(
                builder.mismatchRereadDelay == null || !builder.mismatchRereadDelay.isNegative(),
                ".mismatchReread(...) is negative, delay=" + builder.mismatchRereadDelay);
        require(
                builder.readRepair == null || builder.readRepair.copiesPerSecond() >= 0,
                ".readRepair(...) is negative");
    }

    private Checked<D> operations() {
        Map<Method, OperationSpec<D, Object[], Object>> methods = Map.of();
        if (!builder.type.isInterface() && builder.proxied) {
            problems.add("not an interface, type=" + builder.type.getName()
                    + "; DualDao.functional(...) does without a proxy");
        } else if (builder.type.isSealed()) {
            problems.add("a sealed interface can't be implemented, type=" + builder.type.getName());
        } else if (builder.proxied) {
            methods = methods();
        }
        List<OperationSpec<D, ?, ?>> functional = new ArrayList<>();
        for (OperationSpec<D, ?, ?> operation : builder.operations) {
            Predicate<Object> told = operation.missing() == null ? builder.missing : operation.missing();
            functional.add(operation.withMissing(told == null ? Missing.DEFAULT : Missing.orNull(told)));
        }
        require(
                builder.proxied || !functional.isEmpty(),
                "no operation; say .operation(OperationSpec.of(...)) for each");
        Set<String> names = new HashSet<>();
        methods.values().stream().distinct().forEach(operation -> checkName(names, operation));
        functional.forEach(operation -> checkName(names, operation));
        return new Checked<>(methods, functional);
    }

    private Map<Method, OperationSpec<D, Object[], Object>> methods() {
        require(!builder.returns.contains(null), ".returns(null)");
        builder.returns.removeIf(Objects::isNull);
        ReturnAdapters returns;
        try {
            returns = new ReturnAdapters(builder.returns, builder.type.getClassLoader());
        } catch (ServiceConfigurationError e) {
            problems.add("a service can't be loaded, reason=" + e.getMessage());
            return Map.of();
        }
        return new DaoMethods<>(builder.declared(), returns, problems::add).operations();
    }

    private void checkName(Set<String> names, OperationSpec<D, ?, ?> operation) {
        require(names.add(operation.name()), "two operations have the name " + operation.name());
    }

    private void checkPolicies() {
        boolean test = builder.mode == Mode.TEST;
        if (builder.fallback != null && builder.fallback.onTimeout() && !test) {
            require(
                    builder.targetTimeout != null,
                    ".fallback(...) on timeout needs .targetTimeout(...): else the target is never late");
        }
        if (builder.partitions != null && builder.partitions.kind() == Partitions.Kind.MERGED) {
            require(builder.partitions.merge() != null, ".partitions(merged(null)): nothing to merge with");
        }
        boolean repairs = builder.readRepair != null && builder.readRepair.copiesPerSecond() > 0;
        require(!(repairs && test), ".readRepair(...) does nothing in Mode.TEST, where no read falls back");
        if (repairs && !test) {
            require(builder.copy != null, ".readRepair(...) needs .copy(codec, copy)");
            require(
                    builder.copy == null || builder.copy.guarantee() != KeyCopy.Guarantee.NONE,
                    ".readRepair(...) with a copy of guarantee NONE would undo newer writes of other instances; the copy must"
                            + " keep SOURCE_TIMESTAMPS or write IF_ABSENT");
        }
    }

    private void checkCopy(Checked<D> checked) {
        require(
                builder.copy == null || builder.keyCodec != null,
                ".copy(null, ...): without a codec no key can be read back from the journal");
        require(builder.keys.isEmpty() || builder.copy != null, ".keys(...) needs .copy(codec, copy)");
        require(!builder.keys.contains(null), ".keys(null)");
        boolean overwrites = builder.copy != null && builder.copy.guarantee() != KeyCopy.Guarantee.IF_ABSENT;
        String lacking =
                builder.copy == null ? "needs .copy(codec, copy)" : "needs a copy that overwrites, not IF_ABSENT";
        require(
                builder.mode != Mode.MIGRATION || builder.writePolicy != WritePolicy.ORIGIN_THEN_JOURNAL || overwrites,
                ".writes(ORIGIN_THEN_JOURNAL) " + lacking + ", which works the journal off");
        require(
                builder.transactions == null || builder.transactions == TransactionHook.NONE || overwrites,
                ".transactions(...) " + lacking
                        + ", since what one wrote is taken to the other side when it has ended");
        if (builder.mode != Mode.MIGRATION) {
            return;
        }
        for (OperationSpec<D, ?, ?> operation : checked.all()) {
            require(
                    overwrites || !operation.kind().decides(),
                    operation.name() + ": " + operation.kind() + " " + lacking
                            + ", since it is done on one side and its result taken to the other");
        }
    }

    private void percent(String option, int percent) {
        require(percent >= 0 && percent <= 100, "." + option + "(...) is not 0 to 100, percent=" + percent);
    }

    private void positive(String option, Duration duration) {
        require(
                duration == null || !duration.isNegative() && !duration.isZero(),
                "." + option + "(...) must be positive, duration=" + duration);
    }

    private void require(boolean met, String problem) {
        if (!met) {
            problems.add(problem);
        }
    }
}
