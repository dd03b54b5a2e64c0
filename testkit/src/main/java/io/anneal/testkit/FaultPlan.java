package io.anneal.testkit;

import io.anneal.testkit.Fault.Operation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The faults that are to come, how many operations there were, and how much room is left. Guarded by the disk. */
final class FaultPlan {
    private static final class Armed {
        final Fault fault;
        long matched;

        Armed(Fault fault) {
            this.fault = fault;
        }
    }

    private final List<Armed> armed = new ArrayList<>();
    private final long[] counts = new long[Operation.values().length];
    private long roomBytes = Long.MAX_VALUE;

    void inject(Fault fault) {
        armed.add(new Armed(fault));
    }

    void fillUpAfter(long lengthBytes) {
        roomBytes = lengthBytes;
    }

    void heal() {
        armed.clear();
        roomBytes = Long.MAX_VALUE;
    }

    long count(Operation operation) {
        return counts[operation.ordinal()];
    }

    /** The fault that the operation meets now, or null. */
    Fault next(Operation operation, String... names) {
        counts[operation.ordinal()]++;
        Fault due = null;
        for (Armed candidate : armed) {
            if (candidate.fault.isAbout(operation, names)) {
                if (due == null && candidate.fault.isDue(candidate.matched)) {
                    due = candidate.fault;
                }
                candidate.matched++;
            }
        }
        return due;
    }

    /** How many of so many bytes there is room for, when some of them make the file longer. */
    int admit(int lengthBytes, long growthBytes) throws IOException {
        long missingBytes = Math.max(0, growthBytes - roomBytes);
        if (missingBytes > 0 && missingBytes >= lengthBytes) {
            throw new IOException("No space left on device");
        }
        return (int) (lengthBytes - missingBytes);
    }

    void take(long growthBytes) {
        if (roomBytes != Long.MAX_VALUE) {
            roomBytes -= growthBytes;
        }
    }

    long roomBytes() {
        return roomBytes;
    }
}
