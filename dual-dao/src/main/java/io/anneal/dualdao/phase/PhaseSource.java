package io.anneal.dualdao.phase;

/** Gives each operation the phase record that it acts by. Any thread may call. */
public interface PhaseSource {
    /** The view in force, entered; it must be left. Allocates nothing. */
    PhaseView enter();
}
