package io.anneal.cli.command;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Which name was meant by a word that is none. */
public final class Spelling {
    private Spelling() {}

    /** Returns the name that is the nearest to a word: a letter in three may be missing, too much, wrong, or in its neighbour's place. */
    public static Optional<String> nearest(String word, Collection<String> names) {
        return names.stream()
                .filter(name -> distance(word, name) <= Math.max(1, Math.min(word.length(), name.length()) / 3))
                .min(Comparator.comparingInt(name -> distance(word, name)));
    }

    /** How many letters have to be changed, put in, left out, or exchanged with the next one. */
    private static int distance(String one, String other) {
        int[][] of = new int[one.length() + 1][other.length() + 1];
        for (int i = 0; i <= one.length(); i++) {
            for (int j = 0; j <= other.length(); j++) {
                if (i == 0 || j == 0) {
                    of[i][j] = i + j;
                    continue;
                }
                int changed = one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1;
                int least = Math.min(of[i - 1][j - 1] + changed, Math.min(of[i - 1][j], of[i][j - 1]) + 1);
                boolean isExchanged = i > 1
                        && j > 1
                        && one.charAt(i - 1) == other.charAt(j - 2)
                        && one.charAt(i - 2) == other.charAt(j - 1);
                of[i][j] = isExchanged ? Math.min(least, of[i - 2][j - 2] + 1) : least;
            }
        }
        return of[one.length()][other.length()];
    }
}
