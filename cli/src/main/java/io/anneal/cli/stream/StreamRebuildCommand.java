package io.anneal.cli.stream;

import io.anneal.cli.repair.CommandNode;
import io.anneal.node.Ring;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code anneal stream rebuild}: a replica that was lost, from those that are left. */
@Command(
        name = "rebuild",
        description =
                "Has a node that lost its data fetch all that it owns, from several nodes at once: each range from one.")
final class StreamRebuildCommand extends StreamSubcommand {
    @Override
    String name() {
        return "rebuild";
    }

    @Override
    List<Ring.Move> moves(String table, CommandNode node) throws IOException {
        return filled(onlyTarget().name(), table, node);
    }
}
