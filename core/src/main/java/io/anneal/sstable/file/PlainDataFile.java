package io.anneal.sstable.file;

import io.anneal.io.ByteWriter;
import io.anneal.io.OutputFile;
import io.anneal.sstable.Component;
import io.anneal.sstable.StagedSSTable;
import java.io.IOException;
import java.util.Set;
import java.util.zip.CRC32;

/**
 * Data as it is, with {@code CRC.db}: the length of a chunk, then a CRC32 for each. The digest covers the data alone.
 */
public final class PlainDataFile implements DataFile {
    private static final int CHUNK_BYTES = 64 * 1024;

    private final StagedSSTable staged;
    private final OutputFile.Opener opener;
    private final OutputFile data;
    private final OutputFile checksums;
    private final CRC32 chunkCrc = new CRC32();
    private final CRC32 wholeCrc = new CRC32();
    private final ByteWriter number = new ByteWriter(4);
    /** Rows are gathered here first: a checksum over many bytes costs far less than many over few. */
    private final byte[] chunk = new byte[CHUNK_BYTES];

    private int chunkLength;

    private PlainDataFile(StagedSSTable staged, OutputFile.Opener opener, OutputFile data, OutputFile checksums) {
        this.staged = staged;
        this.opener = opener;
        this.data = data;
        this.checksums = checksums;
    }

    public static PlainDataFile open(StagedSSTable staged, OutputFile.Opener opener) throws IOException {
        OutputFile data = OutputFile.open(staged.file(Component.DATA), opener);
        try {
            OutputFile checksums = OutputFile.open(staged.file(Component.CRC), opener);
            PlainDataFile file = new PlainDataFile(staged, opener, data, checksums);
            file.writeNumber(CHUNK_BYTES);
            return file;
        } catch (IOException e) {
            data.close();
            throw e;
        }
    }

    private void writeNumber(int value) throws IOException {
        number.clear();
        number.writeInt(value);
        checksums.write(number);
    }

    @Override
    public void write(byte[] source, int offset, int lengthBytes) throws IOException {
        int at = offset;
        int left = lengthBytes;
        while (left > 0) {
            int part = Math.min(left, CHUNK_BYTES - chunkLength);
            System.arraycopy(source, at, chunk, chunkLength, part);
            chunkLength += part;
            at += part;
            left -= part;
            if (chunkLength == CHUNK_BYTES) {
                endChunk();
            }
        }
    }

    private void endChunk() throws IOException {
        chunkCrc.reset();
        chunkCrc.update(chunk, 0, chunkLength);
        wholeCrc.update(chunk, 0, chunkLength);
        writeNumber((int) chunkCrc.getValue());
        data.write(chunk, 0, chunkLength);
        chunkLength = 0;
    }

    @Override
    public long position() {
        return data.position() + chunkLength;
    }

    @Override
    public void finish() throws IOException {
        if (chunkLength > 0) {
            endChunk();
        }
        data.sync();
        checksums.sync();
        DigestFile.write(staged.file(Component.DIGEST), wholeCrc.getValue(), opener);
    }

    @Override
    public double compressionRatio() {
        return NO_RATIO;
    }

    @Override
    public Set<Component> components() {
        return Set.of(Component.DATA, Component.CRC, Component.DIGEST);
    }

    @Override
    public void close() throws IOException {
        try (data) {
            checksums.close();
        }
    }
}
