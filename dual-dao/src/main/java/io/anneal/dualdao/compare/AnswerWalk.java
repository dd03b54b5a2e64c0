package io.anneal.dualdao.compare;

import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.BaseStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One comparison: goes down both answers at once and notes where they differ. Ends when it has noted enough, when it
 * has looked at {@link #VALUES_MAX} pairs of values, and wherever it meets a pair again that it is inside of. One thread.
 */
final class AnswerWalk {
    private static final Logger LOG = LoggerFactory.getLogger(AnswerWalk.class);

    /** Once a process is enough: it is so for all rows. */
    private static final AtomicBoolean TOLD_OF_PRECISION = new AtomicBoolean();

    private static final int DEPTH_MAX = 100;
    private static final int VALUES_MAX = 1_000_000;

    private final ComparisonRules rules;
    private final List<PathPattern.Step> path = new ArrayList<>();
    private final List<Object[]> inside = new ArrayList<>();
    private final List<FieldDiff> differences = new ArrayList<>();
    private final ValueText text;
    private final int differencesMax;
    private int valueCount;

    /** How often a rule let pass what differs: then an {@code equals} that says so too is not to be believed. */
    private int forgivenCount;

    AnswerWalk(ComparisonRules rules) {
        this(rules, rules.differencesMax());
    }

    private AnswerWalk(ComparisonRules rules, int differencesMax) {
        this.rules = rules;
        this.differencesMax = differencesMax;
        text = new ValueText(rules);
    }

    List<FieldDiff> differences() {
        return List.copyOf(differences);
    }

    void failed(Throwable e) {
        String reason = "(not comparable: " + e.getClass().getSimpleName() + ")";
        differences.add(new FieldDiff(PathPattern.text(path), reason, reason));
    }

    void compare(Object origin, Object target) {
        if (origin == target || full()) {
            return;
        }
        if (ComparisonRules.anyMatches(rules.ignored(), path)) {
            if (!Objects.deepEquals(origin, target)) {
                forgivenCount++;
            }
            return;
        }
        if (++valueCount > VALUES_MAX) {
            note("(more than is compared)", "(more than is compared)");
            return;
        }
        Object left = opened(origin);
        Object right = opened(target);
        if (left == ValueText.NOTHING || right == ValueText.NOTHING || left == null || right == null) {
            if (left != right) {
                differ(left, right);
            }
        } else if (left instanceof BaseStream || left instanceof Iterator) {
            note("(not comparable: can be read once)", "(not comparable: can be read once)");
        } else if (isInside(left, right)) {
            // Round a cycle: what differs in it is noted on the way.
            return;
        } else if (inside.size() >= DEPTH_MAX) {
            if (!left.equals(right)) {
                note("(deeper than is compared)", "(deeper than is compared)");
            }
        } else {
            inside.add(new Object[] {left, right});
            compareByKind(left, right);
            inside.remove(inside.size() - 1);
        }
    }

    private boolean full() {
        return differences.size() >= differencesMax;
    }

    private static Object opened(Object value) {
        if (value instanceof Optional<?> optional) {
            return optional.isPresent() ? optional.get() : ValueText.NOTHING;
        } else if (value instanceof OptionalInt optional) {
            return optional.isPresent() ? (Object) optional.getAsInt() : ValueText.NOTHING;
        } else if (value instanceof OptionalLong optional) {
            return optional.isPresent() ? (Object) optional.getAsLong() : ValueText.NOTHING;
        } else if (value instanceof OptionalDouble optional) {
            return optional.isPresent() ? (Object) optional.getAsDouble() : ValueText.NOTHING;
        }
        return value;
    }

    private boolean isInside(Object left, Object right) {
        for (Object[] pair : inside) {
            if (pair[0] == left && pair[1] == right) {
                return true;
            }
        }
        return false;
    }

    private void compareByKind(Object left, Object right) {
        if (left instanceof Number number && right instanceof Number other) {
            compareNumbers(number, other);
        } else if (left instanceof byte[] bytes && right instanceof byte[] other) {
            differUnless(Arrays.equals(bytes, other), left, right);
        } else if (left instanceof ByteBuffer && right instanceof ByteBuffer) {
            differUnless(left.equals(right), left, right);
        } else if (left instanceof Map<?, ?> map && right instanceof Map<?, ?> other) {
            compareMaps(map, other);
        } else if (left instanceof Collection<?> collection && right instanceof Collection<?> other) {
            compareCollections(collection, other);
        } else if (left.getClass().isArray() && right.getClass().isArray()) {
            compareArrays(left, right);
        } else if (Scalars.isTime(left)) {
            compareTimes(left, right);
        } else {
            compareObjects(left, right);
        }
    }

    private void compareNumbers(Number left, Number right) {
        boolean same = left.getClass() == right.getClass() && Scalars.sameNumber(left, right);
        if (same) {
            return;
        }
        Optional<BigDecimal> most = ComparisonRules.tolerance(rules.numbers(), path);
        if (most.isPresent() && Scalars.near(left, right, most.get())) {
            forgivenCount++;
        } else {
            differ(left, right);
        }
    }

    private void compareTimes(Object left, Object right) {
        if (left.getClass() == right.getClass()) {
            if (left.equals(right)) {
                return;
            }
            if (Scalars.alikeAtTheCoarser(left, right)) {
                if (TOLD_OF_PRECISION.compareAndSet(false, true)) {
                    LOG.info(
                            "the sides keep times at different precisions, compared at the coarser one here and everywhere,"
                                    + " path={}, origin={}, target={}",
                            PathPattern.text(path),
                            Scalars.unit(left),
                            Scalars.unit(right));
                }
                return;
            }
        }
        Optional<Duration> most = ComparisonRules.tolerance(rules.times(), path);
        if (most.isPresent() && Scalars.isTime(right) && Scalars.near(left, right, most.get())) {
            forgivenCount++;
        } else {
            differ(left, right);
        }
    }

    private void compareMaps(Map<?, ?> left, Map<?, ?> right) {
        for (Map.Entry<?, ?> entry : left.entrySet()) {
            Object key = entry.getKey();
            Object other = right.containsKey(key) ? right.get(key) : ValueText.NOTHING;
            compareAt(elementStep(key), entry.getValue(), other);
        }
        for (Map.Entry<?, ?> entry : right.entrySet()) {
            if (!left.containsKey(entry.getKey())) {
                compareAt(elementStep(entry.getKey()), ValueText.NOTHING, entry.getValue());
            }
        }
    }

    private PathPattern.Step elementStep(Object key) {
        return new PathPattern.Step(true, text.shortened(String.valueOf(key)));
    }

    private void compareAt(PathPattern.Step step, Object left, Object right) {
        path.add(step);
        compare(left, right);
        path.remove(path.size() - 1);
    }

    private void compareCollections(Collection<?> left, Collection<?> right) {
        boolean anyOrder =
                left instanceof Set || right instanceof Set || ComparisonRules.anyMatches(rules.unordered(), path);
        compareElements(new ArrayList<>(left), new ArrayList<>(right), anyOrder);
    }

    private void compareArrays(Object left, Object right) {
        if (left.getClass().getComponentType().isPrimitive() && left.getClass() != right.getClass()) {
            differ(left, right);
        } else {
            compareElements(elements(left), elements(right), ComparisonRules.anyMatches(rules.unordered(), path));
        }
    }

    private static List<Object> elements(Object array) {
        List<Object> elements = new ArrayList<>(Array.getLength(array));
        for (int i = 0; i < Array.getLength(array); i++) {
            elements.add(Array.get(array, i));
        }
        return elements;
    }

    private void compareElements(List<?> left, List<?> right, boolean anyOrder) {
        if (anyOrder) {
            compareUnordered(left, right);
            return;
        }
        for (int i = 0; i < Math.max(left.size(), right.size()) && !full(); i++) {
            compareAt(
                    new PathPattern.Step(true, Integer.toString(i)),
                    i < left.size() ? left.get(i) : ValueText.NOTHING,
                    i < right.size() ? right.get(i) : ValueText.NOTHING);
        }
    }

    private void compareUnordered(List<?> left, List<?> right) {
        Pairing pairing = Pairing.of(left, right, (i, j) -> equalAt(i, left.get(i), right.get(j)));
        // Equal by their own equals, which may not look at everything.
        pairing.pairs()
                .forEach((i, j) ->
                        compareAt(new PathPattern.Step(true, Integer.toString(i)), left.get(i), right.get(j)));
        List<Integer> lonelyLeft = pairing.lonelyLeft();
        List<Integer> lonelyRight = pairing.lonelyRight();
        if (lonelyLeft.size() == 1 && lonelyRight.size() == 1) {
            int index = lonelyLeft.get(0);
            compareAt(
                    new PathPattern.Step(true, Integer.toString(index)),
                    left.get(index),
                    right.get(lonelyRight.get(0)));
            return;
        }
        for (int index : lonelyLeft) {
            compareAt(new PathPattern.Step(true, Integer.toString(index)), left.get(index), ValueText.NOTHING);
        }
        for (int index : lonelyRight) {
            compareAt(new PathPattern.Step(true, Integer.toString(index)), ValueText.NOTHING, right.get(index));
        }
    }

    /** Whether two elements are equal as the rules have it, without noting anything. */
    private boolean equalAt(int index, Object left, Object right) {
        AnswerWalk trial = new AnswerWalk(rules, 1);
        trial.path.addAll(path);
        trial.path.add(new PathPattern.Step(true, Integer.toString(index)));
        trial.inside.addAll(inside);
        trial.valueCount = valueCount;
        trial.compare(left, right);
        valueCount = trial.valueCount;
        forgivenCount += trial.forgivenCount;
        return trial.differences.isEmpty();
    }

    /**
     * By the parts that can be seen, and then by {@code equals}. Not the other way round: that of an entity often looks at its id
     * alone, and that of a record runs round a cycle without end.
     */
    private void compareObjects(Object left, Object right) {
        int notedBefore = differences.size();
        int forgivenBefore = forgivenCount;
        boolean seen = compareParts(left, right);
        boolean sameClass = left.getClass() == right.getClass();
        boolean partsDecide = seen
                && (forgivenCount > forgivenBefore
                        || !sameClass
                        || left.getClass().isRecord()
                        || !Accessors.hasEquals(left.getClass()));
        if (differences.size() == notedBefore && !partsDecide) {
            differUnless(left.equals(right), left, right);
        }
    }

    /** Whether there was a part that both have. */
    private boolean compareParts(Object left, Object right) {
        boolean records = left.getClass().isRecord() || right.getClass().isRecord();
        if (left instanceof Enum || records && left.getClass() != right.getClass()) {
            return false;
        }
        Map<String, Accessors.Accessor> rightParts = Accessors.of(right.getClass());
        boolean seen = false;
        for (Map.Entry<String, Accessors.Accessor> part :
                Accessors.of(left.getClass()).entrySet()) {
            Accessors.Accessor other = rightParts.get(part.getKey());
            if (other != null) {
                seen = true;
                compareAt(
                        new PathPattern.Step(false, part.getKey()),
                        part.getValue().valueOf(left),
                        other.valueOf(right));
            }
        }
        return seen;
    }

    private void differUnless(boolean equal, Object left, Object right) {
        if (!equal) {
            differ(left, right);
        }
    }

    private void differ(Object left, Object right) {
        String origin = text.of(left, path);
        String target = text.of(right, path);
        if (origin.equals(target) && left != null && right != null && left.getClass() != right.getClass()) {
            note(
                    origin + " (" + left.getClass().getSimpleName() + ")",
                    target + " (" + right.getClass().getSimpleName() + ")");
        } else {
            note(origin, target);
        }
    }

    private void note(String origin, String target) {
        if (!full()) {
            differences.add(new FieldDiff(PathPattern.text(path), origin, target));
        }
    }
}
