package io.anneal.sstable.bti;

import io.anneal.io.ByteWriter;
import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * Writes tries of sorted keys into a file, so that no node crosses a page boundary: readers see one page at a time. In
 * memory are the path to the last key and what is not written below it: of each of the at most 256 children less than a page.
 *
 * <p>A key completes the nodes that are not on its path. A completed node knows the length of its branch. When
 * a branch would fill a page, its children are written, each with all below it in one page: the largest that fits what is left of
 * the page first, a new page when none fits. The node itself stays, now small, with pointers to them. So pages
 * fill from the leaves up, children before parents, and the root comes last. A pointer's length depends on how far
 * the child lies, so a branch with pointers out of it is measured again where it is about to be written.
 *
 * <p>Layout and choice of pages are those of Cassandra 5.0's {@code io.tries.IncrementalTrieWriterPageAware}: the same keys
 * make the same bytes. Owned by one thread.
 */
final class TrieWriter {
    private static final byte[] PADDING = new byte[TriePages.PAGE_BYTES];

    private final OutputFile file;
    private final ByteWriter previous = new ByteWriter(256);
    private final ByteWriter branch = new ByteWriter(TriePages.PAGE_BYTES);

    private TrieBuilderNode[] path = new TrieBuilderNode[64];
    /** Number of nodes on the path: the length of the last key and the root. */
    private int pathLength;

    private TrieBuilderNode[] spare = new TrieBuilderNode[64];
    private int spareCount;
    private final Deque<BranchesBySize> idleBranches = new ArrayDeque<>();
    private long branchPosition;

    TrieWriter(OutputFile file) {
        this.file = file;
    }

    /**
     * Adds a key behind those that were added. An empty one can only be the first.
     *
     * @param payloadFlags four bits, not 0
     * @param payload what follows the node; copied
     */
    void add(byte[] key, int lengthBytes, int payloadFlags, ByteWriter payload) throws StorageException {
        int common = 0;
        if (pathLength == 0) {
            push(take(0));
        } else {
            common = Arrays.mismatch(previous.array(), 0, previous.lengthBytes(), key, 0, lengthBytes);
            requireAscending(common, key, lengthBytes);
        }
        while (pathLength > common + 1) {
            complete(path[--pathLength]);
        }
        for (int i = common; i < lengthBytes; i++) {
            TrieBuilderNode child = take(key[i] & 0xFF);
            path[pathLength - 1].addChild(child);
            push(child);
        }
        path[pathLength - 1].setPayload(payloadFlags, payload);
        previous.clear();
        previous.writeBytes(key, 0, lengthBytes);
    }

    private void requireAscending(int common, byte[] key, int lengthBytes) {
        boolean ascends = common >= 0
                && common < lengthBytes
                && (common == previous.lengthBytes() || (previous.array()[common] & 0xFF) < (key[common] & 0xFF));
        if (!ascends) {
            throw new IllegalStateException("key of a trie out of order, lengthBytes=" + lengthBytes
                    + ", previousLengthBytes=" + previous.lengthBytes() + ", commonBytes=" + common);
        }
    }

    private TrieBuilderNode take(int transition) {
        return (spareCount == 0 ? new TrieBuilderNode() : spare[--spareCount]).reset(transition);
    }

    private void giveBack(TrieBuilderNode node) {
        if (spareCount == spare.length) {
            spare = Arrays.copyOf(spare, spareCount * 2);
        }
        spare[spareCount++] = node;
    }

    private void push(TrieBuilderNode node) {
        if (pathLength == path.length) {
            path = Arrays.copyOf(path, pathLength * 2);
        }
        path[pathLength++] = node;
    }

    /**
     * Completes and writes the trie, which has a key, and is ready for the next one.
     *
     * @return position of the root
     */
    long complete() throws StorageException {
        TrieBuilderNode root = path[0];
        while (pathLength > 0) {
            complete(path[--pathLength]);
        }
        placeRoot(root);
        long position = root.position();
        giveBack(root);
        return position;
    }

    private void placeRoot(TrieBuilderNode root) throws StorageException {
        int length = measure(root, file.position());
        if (length > leftBytes() && length <= TriePages.PAGE_BYTES) {
            padPage();
            length = measure(root, file.position());
        }
        if (length > leftBytes()) {
            placeChildren(root);
            if (root.nodeBytes() > leftBytes()) {
                padPage();
                measure(root, file.position());
            }
        }
        place(root);
    }

    private void complete(TrieBuilderNode node) throws StorageException {
        int branchBytes = 0;
        boolean placedChild = false;
        boolean placedBelow = false;
        for (TrieBuilderNode child = node.firstChild(); child != null; child = child.nextSibling()) {
            branchBytes += child.totalBytes();
            placedChild |= child.isPlaced();
            placedBelow |= child.dependsOnPosition();
        }
        node.setBranchBytes(branchBytes);
        node.setDependence(placedChild, placedBelow);
        node.setNodeBytes(TrieNodeWriter.lengthBytes(node, file.position()));
        if (node.totalBytes() >= TriePages.PAGE_BYTES) {
            placeChildren(node);
        }
    }

    /** Writes the branches of all children, which leaves the node alone. */
    private void placeChildren(TrieBuilderNode node) throws StorageException {
        BranchesBySize branches = idleBranches.isEmpty() ? new BranchesBySize() : idleBranches.pop();
        branches.reset(node);
        while (!branches.isEmpty()) {
            int place = branches.takeLargest(leftBytes());
            if (place < 0) {
                padPage();
                place = branches.takeLargest(Integer.MAX_VALUE);
            }
            TrieBuilderNode child = branches.node(place);
            int length = child.dependsOnPosition() ? measure(child, file.position()) : child.totalBytes();
            if (length <= leftBytes()) {
                place(child);
            } else {
                if (leftBytes() == TriePages.PAGE_BYTES) {
                    // Its pointers grew so much that it does not fit a page any more.
                    placeChildren(child);
                }
                branches.putBack(place);
            }
        }
        idleBranches.push(branches);
        node.setBranchBytes(0);
        node.setDependence(true, false);
        node.setNodeBytes(TrieNodeWriter.lengthBytes(node, file.position()));
    }

    /** Measures the branch again as if it began at {@code position}, and returns its length. */
    private static int measure(TrieBuilderNode node, long position) {
        if (node.hasPlacedBelow()) {
            int length = 0;
            for (TrieBuilderNode child = node.firstChild(); child != null; child = child.nextSibling()) {
                length += measure(child, position + length);
            }
            node.setBranchBytes(length);
        }
        if (node.dependsOnPosition()) {
            node.setNodeBytes(TrieNodeWriter.lengthBytes(node, position + node.branchBytes()));
        }
        return node.totalBytes();
    }

    private int leftBytes() {
        return TriePages.PAGE_BYTES - (int) (file.position() % TriePages.PAGE_BYTES);
    }

    private void padPage() throws StorageException {
        file.write(PADDING, 0, leftBytes() % TriePages.PAGE_BYTES);
    }

    /** Writes the node and all below it that is not written. */
    private void place(TrieBuilderNode node) throws StorageException {
        assert node.totalBytes() <= leftBytes() : node.totalBytes();
        branch.clear();
        branchPosition = file.position();
        encode(node);
        file.write(branch);
        node.place(node.position());
    }

    /** As deep as a branch within a page can be, where a node takes two bytes. */
    private void encode(TrieBuilderNode node) {
        for (TrieBuilderNode child = node.firstChild(); child != null; child = child.nextSibling()) {
            if (!child.isPlaced()) {
                encode(child);
            }
        }
        int offset = branch.lengthBytes();
        TrieNodeWriter.write(node, branchPosition + offset, branch);
        assert branch.lengthBytes() - offset == node.nodeBytes() : node.nodeBytes();
        node.setPosition(branchPosition + offset);
        for (TrieBuilderNode child = node.firstChild(); child != null; child = child.nextSibling()) {
            giveBack(child);
        }
        node.clearChildren();
    }
}
