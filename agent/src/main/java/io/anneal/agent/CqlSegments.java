package io.anneal.agent;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.zip.CRC32;

/**
 * What surrounds messages of CQL's protocol from version 5 on, once a connection is made: segments that bear checksums, uncompressed here.
 * All numbers of them are little-endian.
 *
 * <pre>
 * 3  length of the payload (17 bits), whether it holds whole messages (1 bit), nothing (6 bits)
 * 3  CRC24 of these three bytes
 *    payload: one message or more, or a part of a large one
 * 4  CRC32 of the payload
 * </pre>
 */
final class CqlSegments {
    /** Of a payload. */
    static final int LENGTH_MAX_BYTES = (1 << 17) - 1;

    private static final int WHOLE = 1 << 17;
    private static final int HEADER_BYTES = 3;
    private static final int CRC24_BYTES = 3;
    private static final int CRC32_BYTES = 4;
    private static final int CRC24_START = 0x875060;
    private static final int CRC24_POLYNOMIAL = 0x1974F0B;
    /** They come before each payload. */
    private static final byte[] CRC32_START = {(byte) 0xFA, 0x2D, 0x55, (byte) 0xCA};

    private CqlSegments() {}

    /** One segment of a whole message, which is not longer than {@link #LENGTH_MAX_BYTES}. */
    static byte[] of(byte[] message) {
        assert message.length <= LENGTH_MAX_BYTES : message.length;
        int payload = HEADER_BYTES + CRC24_BYTES;
        byte[] segment = new byte[payload + message.length + CRC32_BYTES];
        put(segment, 0, HEADER_BYTES, message.length | WHOLE);
        put(segment, HEADER_BYTES, CRC24_BYTES, crc24(segment));
        System.arraycopy(message, 0, segment, payload, message.length);
        put(segment, payload + message.length, CRC32_BYTES, crc32(message));
        return segment;
    }

    private static void put(byte[] target, int offset, int lengthBytes, int value) {
        for (int i = 0; i < lengthBytes; i++) {
            target[offset + i] = (byte) (value >>> Byte.SIZE * i);
        }
    }

    private static int take(byte[] source, int offset, int lengthBytes) {
        int value = 0;
        for (int i = 0; i < lengthBytes; i++) {
            value |= (source[offset + i] & 0xFF) << Byte.SIZE * i;
        }
        return value;
    }

    /** Of the first three bytes. */
    private static int crc24(byte[] header) {
        int crc = CRC24_START;
        for (int i = 0; i < HEADER_BYTES; i++) {
            crc ^= (header[i] & 0xFF) << 16;
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                crc <<= 1;
                crc = (crc & 1 << 24) == 0 ? crc : crc ^ CRC24_POLYNOMIAL;
            }
        }
        return crc;
    }

    private static int crc32(byte[] payload) {
        CRC32 crc = new CRC32();
        crc.update(CRC32_START);
        crc.update(payload);
        return (int) crc.getValue();
    }

    /** The payloads of segments, one after the other. Closing it closes nothing. */
    static final class Payloads extends InputStream {
        private final InputStream segments;
        private byte[] payload = {};
        private int offset;

        Payloads(InputStream segments) {
            this.segments = segments;
        }

        @Override
        public int read() throws IOException {
            return fill() ? payload[offset++] & 0xFF : -1;
        }

        @Override
        public int read(byte[] target, int start, int lengthBytes) throws IOException {
            if (lengthBytes == 0) {
                return 0;
            }
            if (!fill()) {
                return -1;
            }
            int count = Math.min(lengthBytes, payload.length - offset);
            System.arraycopy(payload, offset, target, start, count);
            offset += count;
            return count;
        }

        private boolean fill() throws IOException {
            while (offset == payload.length) {
                byte[] header = segments.readNBytes(HEADER_BYTES + CRC24_BYTES);
                if (header.length == 0) {
                    return false;
                }
                require(header, HEADER_BYTES + CRC24_BYTES);
                if (take(header, HEADER_BYTES, CRC24_BYTES) != crc24(header)) {
                    throw new IOException("header of a segment does not match its checksum");
                }
                int lengthBytes = take(header, 0, HEADER_BYTES) & LENGTH_MAX_BYTES;
                byte[] rest = segments.readNBytes(lengthBytes + CRC32_BYTES);
                require(rest, lengthBytes + CRC32_BYTES);
                payload = Arrays.copyOf(rest, lengthBytes);
                offset = 0;
                if (take(rest, lengthBytes, CRC32_BYTES) != crc32(payload)) {
                    throw new IOException("segment does not match its checksum, lengthBytes=" + lengthBytes);
                }
            }
            return true;
        }

        private static void require(byte[] read, int wantedBytes) throws EOFException {
            if (read.length < wantedBytes) {
                throw new EOFException("segment is cut off, bytes=" + read.length + ", wanted=" + wantedBytes);
            }
        }
    }
}
