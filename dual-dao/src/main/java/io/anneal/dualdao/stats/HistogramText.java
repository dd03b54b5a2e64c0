package io.anneal.dualdao.stats;

import io.anneal.dualdao.phase.Side;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** Histograms as heartbeats carry them: HdrHistogram's compressed encoding in Base64, so that those of many instances add up. */
public final class HistogramText {
    private HistogramText() {}

    public static String format(Histogram histogram) {
        ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int lengthBytes = histogram.encodeIntoCompressedByteBuffer(bytes);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), lengthBytes));
    }

    /**
     * @throws IllegalArgumentException if the text is none
     */
    public static Histogram parse(String text) {
        ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(text));
        try {
            return Histogram.decodeFromCompressedByteBuffer(bytes, Latencies.NANOS_MAX);
        } catch (DataFormatException | IndexOutOfBoundsException | BufferUnderflowException e) {
            throw new IllegalArgumentException("not a histogram, length=" + text.length(), e);
        }
    }

    /** The name of a fact that there is for each side, as {@code readNanos.origin}. */
    static String name(String prefix, Side side) {
        return prefix + side.name().toLowerCase(Locale.ROOT);
    }
}
