package io.anneal.net;

/**
 * What a request asks for. The number is on the wire and never changes its meaning; the name is for errors and logs.
 */
public record Verb(int number, String name) {
    public Verb {
        if (number <= 0) {
            throw new IllegalArgumentException("verb number must be positive, number=" + number + ", name=" + name);
        }
        if (name.isEmpty()) {
            throw new IllegalArgumentException("verb has no name, number=" + number);
        }
    }
}
