package io.anneal.dualdao.copy;

import io.anneal.dualdao.compare.FieldDiff;
import java.util.List;

/** A key was copied again and again, and the sides differ all the same. */
public final class SidesDifferException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public SidesDifferException(List<FieldDiff> differences) {
        super("sides differ after copying, places="
                + differences.stream().map(FieldDiff::path).toList());
    }
}
