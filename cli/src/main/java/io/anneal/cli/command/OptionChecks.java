package io.anneal.cli.command;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * What is checked of options before a command begins: values that can't be, and options that contradict each other. It is told of the first
 * option from the left that is wrong, alone or by what stands before it.
 */
public final class OptionChecks {
    private record Check(List<String> options, Runnable check) {}

    private final List<Check> checks = new ArrayList<>();

    /**
     * @param option its longest name, or the label of what has no name
     * @param check throws a usage error; is run if the option was typed
     */
    public OptionChecks add(String option, Runnable check) {
        return add(List.of(option), check);
    }

    /** The same of options that may contradict each other, if one of them was typed. */
    public OptionChecks add(List<String> options, Runnable check) {
        checks.add(new Check(options, check));
        return this;
    }

    void run(List<ArgSpec> typed) {
        List<String> names = typed.stream().map(OptionChecks::name).toList();
        for (int i = 0; i < names.size(); i++) {
            for (Check check : checks) {
                // Before the last of those that contradict each other, none does.
                if (last(names, check.options) == i) {
                    check.check.run();
                }
            }
        }
    }

    private static String name(ArgSpec argument) {
        return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
    }

    private static int last(List<String> names, List<String> options) {
        return Collections.max(options.stream().map(names::lastIndexOf).toList());
    }
}
