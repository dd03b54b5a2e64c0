package io.anneal.dualdao.compare;

import java.util.ArrayList;
import java.util.List;

/**
 * Names places in an answer: fields by their names with a dot between them, elements and map entries by index or key in
 * brackets, as {@code items[3].d}. {@code *} stands for any one field, {@code [*]} for any element, {@code **} for any number of
 * steps, none too.
 */
final class PathPattern {
    private static final Step ANY_FIELD = new Step(false, "*");
    private static final Step ANY_ELEMENT = new Step(true, "*");
    private static final Step ANY_STEPS = new Step(false, "**");

    private final List<Step> steps;

    private PathPattern(List<Step> steps) {
        this.steps = List.copyOf(steps);
    }

    /**
     * One step of a path.
     *
     * @param element whether it leads to an element or a map's entry, not to a field
     */
    record Step(boolean element, String name) {
        @Override
        public String toString() {
            return element ? "[" + name + "]" : name;
        }
    }

    /**
     * @throws IllegalArgumentException if it is no pattern
     */
    static PathPattern parse(String text) {
        List<Step> steps = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            boolean element = text.charAt(at) == '[';
            int from = element || text.charAt(at) == '.' && !steps.isEmpty() ? at + 1 : at;
            int to = element ? text.indexOf(']', from) : fieldEnd(text, from);
            if (to <= from || !element && !steps.isEmpty() && from == at) {
                throw new IllegalArgumentException("not a path, pattern=" + text + ", at=" + at);
            }
            steps.add(new Step(element, text.substring(from, to)));
            at = element ? to + 1 : to;
        }
        return new PathPattern(steps);
    }

    private static int fieldEnd(String text, int from) {
        int to = from;
        while (to < text.length() && text.charAt(to) != '.' && text.charAt(to) != '[') {
            to++;
        }
        return to;
    }

    boolean matches(List<Step> path) {
        return matches(0, path, 0);
    }

    private boolean matches(int step, List<Step> path, int at) {
        if (step == steps.size()) {
            return at == path.size();
        }
        Step wanted = steps.get(step);
        if (wanted.equals(ANY_STEPS)) {
            return matches(step + 1, path, at) || at < path.size() && matches(step, path, at + 1);
        }
        return at < path.size() && matches(wanted, path.get(at)) && matches(step + 1, path, at + 1);
    }

    private static boolean matches(Step wanted, Step actual) {
        return wanted.equals(actual)
                || wanted.equals(ANY_FIELD) && !actual.element()
                || wanted.equals(ANY_ELEMENT) && actual.element();
    }

    /** A path as people read it. */
    static String text(List<Step> path) {
        StringBuilder text = new StringBuilder();
        for (Step step : path) {
            if (!step.element() && text.length() > 0) {
                text.append('.');
            }
            text.append(step);
        }
        return text.toString();
    }
}
