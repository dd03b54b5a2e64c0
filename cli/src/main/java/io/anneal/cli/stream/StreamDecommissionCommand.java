package io.anneal.cli.stream;

import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.RingFile;
import io.anneal.cli.repair.CommandNode;
import io.anneal.node.Ring;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code anneal stream decommission}: what a leaving node has, to those that take over. */
@Command(
        name = "decommission",
        description = "Has the nodes that take over fetch from a leaving node what they did not own before.")
final class StreamDecommissionCommand extends StreamSubcommand {
    @Option(
            names = "--ring-after",
            paramLabel = "FILE",
            description = "With --ring: who owns what without the leaving node, in the same form.")
    private Path ringAfter;

    @Override
    protected void addChecks(OptionChecks checks) {
        super.addChecks(checks);
        checks.add(
                List.of("--ring", "--ring-after"),
                () -> require(
                        hasRing() == (ringAfter != null),
                        "--ring and --ring-after go together; without them --range and one --to"));
    }

    @Override
    String name() {
        return "decommission";
    }

    @Override
    List<Ring.Move> moves(String table, CommandNode node) throws IOException {
        String leaving = onlySource().name();
        if (!hasRing()) {
            return ring().common(leaving, onlyTarget().name());
        }
        List<Ring.Move> moves = ring().leave(leaving, RingFile.read(this, ringAfter));
        Optional<Ring.Move> unknown = moves.stream()
                .filter(move -> !targets().contains(move.target()))
                .findFirst();
        unknown.ifPresent(move -> {
            throw usage(
                    "a node that takes over is not given as --to, node=" + move.target() + ", range=" + move.range());
        });
        return moves;
    }
}
