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
final class DraftCheck<D> {
    /** What is built from, once all is well. */
    record Checked<D>(
            Map<Method, OperationSpec<D, Object[], Object>> methods, List<OperationSpec<D, ?, ?>> operations) {
        List<OperationSpec<D, ?, ?>> all() {
            List<OperationSpec<D, ?, ?>> all = new ArrayList<>(methods.values());
            all.addAll(operations);
            return all;
        }
    }

    private final DualDaoDraft<D> draft;
    private final List<String> problems = new ArrayList<>();

    private DraftCheck(DualDaoDraft<D> draft) {
        this.draft = draft;
    }

    /**
     * @throws DualDaoConfigException naming every problem
     */
    static <D> Checked<D> check(DualDaoDraft<D> draft) {
        DraftCheck<D> check = new DraftCheck<>(draft);
        check.requireParts();
        check.checkSides();
        check.checkMemory();
        check.checkDurability();
        check.checkNumbers();
        Checked<D> checked = check.operations();
        check.checkPolicies();
        check.checkCopy(checked);
        if (!check.problems.isEmpty()) {
            throw new DualDaoConfigException(draft.name, check.problems);
        }
        return checked;
    }

    private void requireParts() {
        require(draft.origin != null, ".origin(...) is missing");
        require(draft.target != null, ".target(...) is missing");
        require(draft.mode != null, ".mode(...) is missing; MIGRATION to move, TEST to try the target out");
        require(
                draft.phases != null,
                ".phases(...) is missing: where the phase lives, such as new FilePhaseStore(directory)");
        Map<String, Object> options = new LinkedHashMap<>();
        options.put("missing", draft.missing);
        options.put("writes", draft.writePolicy);
        options.put("fallback", draft.fallback);
        options.put("partitions", draft.partitions);
        options.put("readRepair", draft.readRepair);
        options.put("compare", draft.comparison);
        options.put("mismatchReread", draft.mismatchRereadDelay);
        options.put("shadow", draft.shadow);
        options.put("metrics", draft.metrics);
        options.put("environment", draft.environment);
        options.put("keyWait", draft.keyWait);
        options.put("transactions", draft.transactions);
        options.put("poll", draft.poll);
        options.put("quietWindow", draft.quietWindow);
        options.put("verifiedWithin", draft.verifiedWithin);
        options.put("closeTimeout", draft.closeTimeout);
        options.forEach((option, value) -> require(value != null, "." + option + "(null)"));
        require(draft.name != null && !draft.name.isBlank(), ".name(...) is blank");
        require(draft.instance == null || !draft.instance.isBlank(), ".instance(...) is blank");
    }

    private void checkSides() {
        if (draft.origin == null || draft.target == null) {
            return;
        }
        if (draft.sameStoreOnPurpose) {
            require(
                    draft.mode != Mode.MIGRATION,
                    ".sameStoreOnPurpose() is for Mode.TEST, which then shows how much two equal sides differ");
            return;
        }
        String fix = "; give two stores, or say .sameStoreOnPurpose() in Mode.TEST";
        if (draft.origin == draft.target) {
            problems.add("origin and target are the same object" + fix);
        } else if (draft.identity != null) {
            String origin = draft.identity.apply(draft.origin);
            String target = draft.identity.apply(draft.target);
            require(
                    origin == null || !origin.equals(target),
                    "origin and target are the same store, store=" + origin + fix);
        }
    }

    private void checkMemory() {
        if (draft.phases != null && draft.phases.persistent()) {
            require(
                    draft.directory != null || draft.withoutDirectory,
                    ".directory(...) is missing: without it this instance can't tell a lost phase store from a new one, and"
                            + " forgets which keys a side lacks; say .withoutDirectory() to go without");
        }
        require(
                draft.directory == null || !draft.withoutDirectory,
                ".directory(...) and .withoutDirectory() can't both be meant");
    }

    private void checkDurability() {
        require(
                draft.durability == null || draft.directory != null && draft.journal == null && draft.mode != Mode.TEST,
                ".durability(...) is of the journal in .directory(...), and there is none");
    }

    private void checkNumbers() {
        percent("compareSample", draft.compareSamplePercent);
        require(
                draft.speculativePercentile >= 0 && draft.speculativePercentile < 100,
                ".speculative(...) is no percentile, percentile=" + draft.speculativePercentile);
        require(
                Integer.bitCount(draft.timingSample) == 1 && draft.timingSample > 0,
                ".timingSample(...) is no power of two, calls=" + draft.timingSample);
        if (draft.shadow != null) {
            require(
                    draft.shadow.threads() > 0 && draft.shadow.queueLength() > 0,
                    ".shadow(...) has no room, threads=" + draft.shadow.threads() + ", queueLength="
                            + draft.shadow.queueLength());
        }
        positive("poll", draft.poll);
        positive("targetTimeout", draft.targetTimeout);
        positive("verifiedWithin", draft.verifiedWithin);
        positive("closeTimeout", draft.closeTimeout);
        positive("keyWait", draft.keyWait);
        require(
                draft.quietWindow == null || !draft.quietWindow.isNegative(),
                ".quietWindow(...) is negative, duration=" + draft.quietWindow);
        require(
                draft.mismatchRereadDelay == null || !draft.mismatchRereadDelay.isNegative(),
                ".mismatchReread(...) is negative, delay=" + draft.mismatchRereadDelay);
        require(draft.readRepair == null || draft.readRepair.copiesPerSecond() >= 0, ".readRepair(...) is negative");
    }

    private Checked<D> operations() {
        Map<Method, OperationSpec<D, Object[], Object>> methods = Map.of();
        if (!draft.type.isInterface() && draft.proxied) {
            problems.add("not an interface, type=" + draft.type.getName()
                    + "; DualDao.functional(...) does without a proxy");
        } else if (draft.type.isSealed()) {
            problems.add("a sealed interface can't be implemented, type=" + draft.type.getName());
        } else if (draft.proxied) {
            methods = methods();
        }
        List<OperationSpec<D, ?, ?>> functional = new ArrayList<>();
        for (OperationSpec<D, ?, ?> operation : draft.operations) {
            Predicate<Object> told = operation.missing() == null ? draft.missing : operation.missing();
            functional.add(operation.withMissing(told == null ? Missing.DEFAULT : Missing.orNull(told)));
        }
        require(draft.proxied || !functional.isEmpty(), "no operation; say .operation(OperationSpec.of(...)) for each");
        Set<String> names = new HashSet<>();
        methods.values().stream().distinct().forEach(operation -> checkName(names, operation));
        functional.forEach(operation -> checkName(names, operation));
        return new Checked<>(methods, functional);
    }

    private Map<Method, OperationSpec<D, Object[], Object>> methods() {
        require(!draft.returns.contains(null), ".returns(null)");
        draft.returns.removeIf(Objects::isNull);
        ReturnAdapters returns;
        try {
            returns = new ReturnAdapters(draft.returns, draft.type.getClassLoader());
        } catch (ServiceConfigurationError e) {
            problems.add("a service can't be loaded, reason=" + e.getMessage());
            return Map.of();
        }
        return new DaoMethods<>(draft.declared(), returns, problems::add).operations();
    }

    private void checkName(Set<String> names, OperationSpec<D, ?, ?> operation) {
        require(names.add(operation.name()), "two operations have the name " + operation.name());
    }

    private void checkPolicies() {
        boolean test = draft.mode == Mode.TEST;
        if (draft.fallback != null && draft.fallback.onTimeout() && !test) {
            require(
                    draft.targetTimeout != null,
                    ".fallback(...) on timeout needs .targetTimeout(...): else the target is never late");
        }
        if (draft.partitions != null && draft.partitions.kind() == Partitions.Kind.MERGED) {
            require(draft.partitions.merge() != null, ".partitions(merged(null)): nothing to merge with");
        }
        boolean repairs = draft.readRepair != null && draft.readRepair.copiesPerSecond() > 0;
        require(!(repairs && test), ".readRepair(...) does nothing in Mode.TEST, where no read falls back");
        if (repairs && !test) {
            require(draft.copy != null, ".readRepair(...) needs .copy(codec, copy)");
            require(
                    draft.copy == null || draft.copy.guarantee() != KeyCopy.Guarantee.NONE,
                    ".readRepair(...) with a copy of guarantee NONE would undo newer writes of other instances; the copy must"
                            + " keep SOURCE_TIMESTAMPS or write IF_ABSENT");
        }
    }

    private void checkCopy(Checked<D> checked) {
        require(
                draft.copy == null || draft.keyCodec != null,
                ".copy(null, ...): without a codec no key can be read back from the journal");
        require(draft.keys.isEmpty() || draft.copy != null, ".keys(...) needs .copy(codec, copy)");
        require(!draft.keys.contains(null), ".keys(null)");
        boolean overwrites = draft.copy != null && draft.copy.guarantee() != KeyCopy.Guarantee.IF_ABSENT;
        String lacking =
                draft.copy == null ? "needs .copy(codec, copy)" : "needs a copy that overwrites, not IF_ABSENT";
        require(
                draft.mode != Mode.MIGRATION || draft.writePolicy != WritePolicy.ORIGIN_THEN_JOURNAL || overwrites,
                ".writes(ORIGIN_THEN_JOURNAL) " + lacking + ", which works the journal off");
        require(
                draft.transactions == null || draft.transactions == TransactionHook.NONE || overwrites,
                ".transactions(...) " + lacking
                        + ", since what one wrote is taken to the other side when it has ended");
        if (draft.mode != Mode.MIGRATION) {
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
