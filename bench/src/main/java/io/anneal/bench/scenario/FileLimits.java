package io.anneal.bench.scenario;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Work on files of one directory: reading out of the page cache, writing to the disk, sending over loopback. */
final class FileLimits {
    private static final int READ_BYTES = 128 * 1024;
    private static final int RECEIVE_BYTES = 256 * 1024;
    private static final int BLOCK_BYTES = 4096;

    private final byte[] bytes;
    private final Path source;
    private final Path target;
    private final Path block;
    private final ByteBuffer readBuffer = ByteBuffer.wrap(new byte[READ_BYTES]);
    private final ByteBuffer receiveBuffer = ByteBuffer.allocateDirect(RECEIVE_BYTES);
    private final ByteBuffer blockBuffer = ByteBuffer.allocateDirect(BLOCK_BYTES);

    FileLimits(Path directory, SampleBytes sample) throws IOException {
        bytes = sample.bytes();
        source = Files.write(directory.resolve("source"), bytes);
        target = directory.resolve("target");
        block = Files.write(directory.resolve("block"), new byte[BLOCK_BYTES]);
    }

    /** Into a heap array, as the reader of SSTables does it. */
    long read() throws IOException {
        long length = 0;
        try (FileChannel channel = FileChannel.open(source)) {
            int read;
            while ((read = channel.read(readBuffer.clear())) > 0) {
                length += read;
            }
        }
        return length;
    }

    /** A new file in pieces of a chunk, synced. */
    long write() throws IOException {
        Files.deleteIfExists(target);
        try (FileChannel channel = FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ByteBuffer from = ByteBuffer.wrap(bytes);
            for (int at = 0; at < bytes.length; at += SampleBytes.CHUNK_BYTES) {
                from.limit(at + SampleBytes.CHUNK_BYTES).position(at);
                while (from.hasRemaining()) {
                    channel.write(from);
                }
            }
            channel.force(true);
            return channel.size();
        }
    }

    /** 4 KiB over themselves, synced without the file's times: what a commit log's group of writes costs. */
    long syncBlock() throws IOException {
        try (FileChannel channel = FileChannel.open(block, StandardOpenOption.WRITE)) {
            channel.write(blockBuffer.clear(), 0);
            channel.force(false);
            return channel.size();
        }
    }

    /** Sendfile over a loopback connection; the other end copies into a file, which is not synced. */
    long sendFile() throws IOException {
        Files.deleteIfExists(target);
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(any);
                SocketChannel sender = SocketChannel.open(server.getLocalAddress());
                SocketChannel receiver = server.accept();
                FileChannel from = FileChannel.open(source)) {
            FutureTask<Long> received = new FutureTask<>(() -> receive(receiver));
            Thread thread = new Thread(received, "bench-receiver");
            thread.setDaemon(true);
            thread.start();
            for (long at = 0; at < bytes.length; ) {
                at += from.transferTo(at, bytes.length - at, sender);
            }
            sender.shutdownOutput();
            return result(received);
        }
    }

    private long receive(SocketChannel receiver) throws IOException {
        try (FileChannel to = FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            while (receiver.read(receiveBuffer.clear()) >= 0) {
                receiveBuffer.flip();
                while (receiveBuffer.hasRemaining()) {
                    to.write(receiveBuffer);
                }
            }
            return to.size();
        }
    }

    private static long result(FutureTask<Long> received) throws IOException {
        try {
            return received.get();
        } catch (ExecutionException e) {
            throw new IOException("receiving failed, reason=" + e.getCause().getMessage(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while receiving");
        }
    }
}
