package io.anneal.harness.load;

/** How many of the operations are of which kind, in any unit. */
public record LoadMix(int reads, int writes, int deletes) {
    public static final LoadMix DEFAULT = new LoadMix(80, 18, 2);

    public LoadMix {
        if (reads < 0 || writes < 0 || deletes < 0 || reads + writes + deletes == 0) {
            throw new IllegalArgumentException(
                    "no mix of operations, reads=" + reads + ", writes=" + writes + ", deletes=" + deletes);
        }
    }

    /** Of a text such as {@code 80:18:2}, reads first. */
    public static LoadMix parse(String text) {
        String[] parts = text.split(":", -1);
        if (parts.length == 3) {
            try {
                return new LoadMix(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), Integer.parseInt(parts[2]));
            } catch (NumberFormatException e) {
                // Told below, with the form that is wanted.
            }
        }
        throw new IllegalArgumentException("no mix of operations, text=" + text + ", form=READS:WRITES:DELETES");
    }

    int total() {
        return reads + writes + deletes;
    }
}
