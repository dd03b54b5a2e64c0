package io.anneal.testkit;

import java.util.random.RandomGenerator;

/**
 * What goes wrong on a connection through a {@link FaultyProxy}, in which direction, and after how many bytes of that
 * direction. Immutable.
 *
 * <pre>{@code
 * proxy.inject(LinkFault.reset(Direction.TO_SERVER, 100));
 * proxy.inject(LinkFault.bytewise(Direction.TO_CLIENT), LinkFault.flip(Direction.TO_CLIENT, 40, 7));
 * proxy.inject(LinkFault.random(random, 10_000));
 * }</pre>
 */
public final class LinkFault {
    /** The client is the side that connects to the proxy, the server the one that the proxy connects to. */
    public enum Direction {
        TO_SERVER,
        TO_CLIENT
    }

    enum Kind {
        RESET,
        CLOSE,
        FLIP,
        HALF_OPEN,
        STALL,
        DELAY,
        BYTEWISE,
        THROTTLE
    }

    private static final long DELAY_MS_MAX = 50;
    private static final long BYTES_PER_SECOND_MIN = 100_000;

    private final Kind kind;
    private final Direction direction;
    private final long offset;
    private final long argument;

    private LinkFault(Kind kind, Direction direction, long offset, long argument) {
        if (offset < 0) {
            throw new IllegalArgumentException("offset is negative, offset=" + offset);
        }
        this.kind = kind;
        this.direction = direction;
        this.offset = offset;
        this.argument = argument;
    }

    /** Resets both connections once so many bytes are through. Bytes that are still on their way may be lost. */
    public static LinkFault reset(Direction direction, long offset) {
        return new LinkFault(Kind.RESET, direction, offset, 0);
    }

    /** Ends both connections, both ways, in good order, once so many bytes are through. */
    public static LinkFault close(Direction direction, long offset) {
        return new LinkFault(Kind.CLOSE, direction, offset, 0);
    }

    /**
     * Inverts one bit of the byte at this offset.
     *
     * @param bit 0 to 7
     */
    public static LinkFault flip(Direction direction, long offset, int bit) {
        if (bit < 0 || bit >= Byte.SIZE) {
            throw new IllegalArgumentException("byte has no such bit, bit=" + bit);
        }
        return new LinkFault(Kind.FLIP, direction, offset, bit);
    }

    /** Swallows everything, both ways, once so many bytes are through, and closes nothing: neither side is told. */
    public static LinkFault halfOpen(Direction direction, long offset) {
        return new LinkFault(Kind.HALF_OPEN, direction, offset, 0);
    }

    /** Reads no more of this direction after so many bytes; the other direction goes on. */
    public static LinkFault stall(Direction direction, long offset) {
        return new LinkFault(Kind.STALL, direction, offset, 0);
    }

    /** Holds this direction up once, after so many bytes. */
    public static LinkFault delay(Direction direction, long offset, long delayMs) {
        return new LinkFault(Kind.DELAY, direction, offset, positive("delayMs", delayMs));
    }

    /** Sends every byte of this direction on its own. */
    public static LinkFault bytewise(Direction direction) {
        return new LinkFault(Kind.BYTEWISE, direction, 0, 0);
    }

    /** Lets no more than about so many bytes a second through in this direction. */
    public static LinkFault throttle(Direction direction, long bytesPerSecond) {
        return new LinkFault(Kind.THROTTLE, direction, 0, positive("bytesPerSecond", bytesPerSecond));
    }

    /** Any fault, in any direction, somewhere in the first bytes; the same for the same state of the generator. */
    public static LinkFault random(RandomGenerator random, long offsetMax) {
        Kind[] kinds = Kind.values();
        Kind kind = kinds[random.nextInt(kinds.length)];
        Direction direction = random.nextBoolean() ? Direction.TO_SERVER : Direction.TO_CLIENT;
        long offset = random.nextLong(offsetMax + 1);
        return switch (kind) {
            case RESET -> reset(direction, offset);
            case CLOSE -> close(direction, offset);
            case FLIP -> flip(direction, offset, random.nextInt(Byte.SIZE));
            case HALF_OPEN -> halfOpen(direction, offset);
            case STALL -> stall(direction, offset);
            case DELAY -> delay(direction, offset, 1 + random.nextLong(DELAY_MS_MAX));
            case BYTEWISE -> bytewise(direction);
            case THROTTLE -> throttle(direction, BYTES_PER_SECOND_MIN + random.nextLong(10 * BYTES_PER_SECOND_MIN));
        };
    }

    private static long positive(String name, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException("value is not positive, " + name + "=" + value);
        }
        return value;
    }

    Kind kind() {
        return kind;
    }

    Direction direction() {
        return direction;
    }

    long offset() {
        return offset;
    }

    /** Of a flip its bit, of a delay its milliseconds, of a throttle its bytes a second. */
    long argument() {
        return argument;
    }

    /** True if it never lets the whole conversation through unchanged, however long the two sides wait. */
    public boolean isHarmful() {
        return switch (kind) {
            case DELAY, BYTEWISE, THROTTLE -> false;
            default -> true;
        };
    }

    @Override
    public String toString() {
        return kind + " " + direction + " offset=" + offset + " argument=" + argument;
    }
}
