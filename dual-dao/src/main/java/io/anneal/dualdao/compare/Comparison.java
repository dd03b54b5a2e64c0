package io.anneal.dualdao.compare;

import java.util.List;

/** Says in what the answers of two sides differ. Any thread may call. */
@FunctionalInterface
public interface Comparison {
    /** The differences, none if the answers are equal; either may be null. */
    List<FieldDiff> differences(Object origin, Object target);
}
