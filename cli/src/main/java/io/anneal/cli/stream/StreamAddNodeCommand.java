package io.anneal.cli.stream;

import io.anneal.cli.repair.CommandNode;
import io.anneal.node.Ring;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code anneal stream add-node}: what a new node is to own. */
@Command(
        name = "add-node",
        description = "Has a new node fetch what it will own, and nothing else. --ring is the ring with the new node.")
final class StreamAddNodeCommand extends StreamSubcommand {
    @Override
    String name() {
        return "add-node";
    }

    @Override
    List<Ring.Move> moves(String table, CommandNode node) throws IOException {
        return filled(onlyTarget().name(), table, node);
    }
}
