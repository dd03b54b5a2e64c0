package io.anneal.cli.stream;

import io.anneal.cli.repair.CommandNode;
import io.anneal.node.Ring;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code anneal stream transfer}: from one node to another. */
@Command(name = "transfer", description = "Has one node fetch from another what both own.")
final class StreamTransferCommand extends StreamSubcommand {
    @Override
    String name() {
        return "transfer";
    }

    @Override
    List<Ring.Move> moves(String table, CommandNode node) throws IOException {
        String source = onlySource().name();
        return ring().common(source, onlyTarget().name());
    }
}
