package io.anneal.dualdao;

import java.util.List;

/** A dual DAO can't be built as it was described. Names everything that is wrong at once, each with what to write instead. */
public final class DualDaoConfigException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final List<String> problems;

    DualDaoConfigException(String name, List<String> problems) {
        super("dual DAO can't be built, name=" + name + ", problems=" + problems.size() + "\n - "
                + String.join("\n - ", problems));
        this.problems = List.copyOf(problems);
    }

    /** One line each. */
    public List<String> problems() {
        return problems;
    }
}
