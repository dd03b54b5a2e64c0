package io.anneal.job;

import java.util.List;
import java.util.stream.IntStream;

/** The least unit: a number. */
record TestUnit(int number) implements JobUnit {
    static List<TestUnit> some(int count) {
        return IntStream.range(0, count).mapToObj(TestUnit::new).toList();
    }

    static TestUnit parse(String text) {
        return new TestUnit(Integer.parseInt(text.substring("unit ".length())));
    }

    @Override
    public String text() {
        return "unit " + number;
    }

    @Override
    public double width() {
        return 1;
    }
}
