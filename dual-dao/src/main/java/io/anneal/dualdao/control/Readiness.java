package io.anneal.dualdao.control;

import io.anneal.dualdao.phase.Phase;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What the next step is and what is missing for it.
 *
 * @param from the phase in force
 * @param to the phase after the step; the same as {@code from} if the step changes the share
 * @param gates every condition, met or not
 */
public record Readiness(Phase from, Phase to, List<Gate> gates) {
    public Readiness {
        gates = List.copyOf(gates);
    }

    /** Whether the step can be made now. */
    public boolean ready() {
        return gates.stream().allMatch(Gate::met);
    }

    /** The conditions that are not met. */
    public List<Gate> missing() {
        return gates.stream().filter(gate -> !gate.met()).toList();
    }

    /** The step in words, such as {@code 4 to 5}; {@code in phase 3} if it leads nowhere or changes the share. */
    public String step() {
        return from == to ? "in phase " + from.label() : from.label() + " to " + to.label();
    }

    @Override
    public String toString() {
        return step()
                + gates.stream()
                        .map(gate -> System.lineSeparator() + "  " + gate)
                        .collect(Collectors.joining());
    }
}
