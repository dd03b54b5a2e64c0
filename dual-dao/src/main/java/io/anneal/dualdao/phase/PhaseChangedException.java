package io.anneal.dualdao.phase;

/** Somebody else changed the phase between the look at the gates and the change; look again. */
public final class PhaseChangedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public PhaseChangedException(String name, long expectedVersion) {
        super("phase was changed by somebody else meanwhile, name=" + name + ", expectedVersion=" + expectedVersion);
    }
}
