package io.anneal.cli.repair;

import io.anneal.agent.AgentPeer;
import io.anneal.agent.AgentStatus;
import io.anneal.cli.command.ErrorReport;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.JsonResult;
import io.anneal.cli.command.Subcommand;
import io.anneal.net.Waiting;
import io.anneal.repair.RepairRunner;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code anneal cluster status}: what agents hold. */
@Command(
        name = "status",
        description = "Shows what agents hold at their nodes, and for which run. Exits with 1 if any of them holds"
                + " anything, with 5 if one does not answer.")
public final class ClusterStatusCommand extends Subcommand {
    @Option(names = "--agent", required = true, paramLabel = "HOST:PORT", description = "An agent; repeatable.")
    private List<String> agents;

    @Mixin
    private PeerSecurity security = new PeerSecurity();

    @Override
    protected int execute() throws IOException {
        security.check(this);
        boolean isHeld = false;
        boolean isUnanswered = false;
        try (CommandNode node = security.node(this);
                JsonResult json = json() ? new JsonResult(out(), "cluster status") : null) {
            if (json != null) {
                json.fields().writeArrayFieldStart("agents");
            }
            for (String address : agents) {
                AgentPeer agent = new AgentPeer(node.node().peers(), RepairRunner.address(address));
                AgentStatus status;
                try {
                    status = Waiting.result(agent.status(List.of()));
                } catch (InterruptedIOException e) {
                    throw e;
                } catch (IOException e) {
                    isUnanswered = true;
                    unanswered(json, agent, tell(e));
                    continue;
                }
                isHeld |= status.run().isPresent() || !status.heldTables().isEmpty();
                if (json == null) {
                    print(agent, status);
                } else {
                    write(json, agent, status);
                }
            }
            if (json != null) {
                json.fields().writeEndArray();
            }
        }
        if (isUnanswered) {
            return ExitCode.UNANSWERED;
        }
        return isHeld ? ExitCode.NO : ExitCode.YES;
    }

    @Override
    public int errorExitCode() {
        return ExitCode.UNANSWERED;
    }

    private void unanswered(JsonResult json, AgentPeer agent, ErrorReport failure) throws IOException {
        if (json == null) {
            out().println(agent.name() + ": not known what it holds, it did not answer");
        } else {
            json.fields().writeStartObject();
            json.fields().writeStringField("agent", agent.name());
            json.fields().writeStringField("error", failure.message());
            json.fields().writeEndObject();
        }
    }

    private void print(AgentPeer agent, AgentStatus status) {
        Duration ahead = Duration.between(environment().clock().instant(), status.now());
        out().println(agent.name() + ": node " + status.endpoint() + ", host id " + status.hostId() + ", Cassandra "
                + status.version() + ", clock " + ahead.toMillis() + " ms ahead");
        out().println("  "
                + status.run()
                        .map(run -> "run " + run + " holds deletions in " + status.heldTables()
                                + status.snapshotAt()
                                        .map(at -> ", snapshot of " + at)
                                        .orElse("")
                                + status.leaseLeft()
                                        .map(left ->
                                                ", lets go in " + left.toSeconds() + " s unless it hears of the run")
                                        .orElse(""))
                        .orElse(
                                status.heldTables().isEmpty()
                                        ? "holds nothing"
                                        : "holds deletions still, and lets them go soon, in " + status.heldTables()));
    }

    private static void write(JsonResult json, AgentPeer agent, AgentStatus status) throws IOException {
        json.fields().writeStartObject();
        json.fields().writeStringField("agent", agent.name());
        json.fields().writeStringField("node", status.endpoint());
        json.fields().writeStringField("host-id", status.hostId().toString());
        json.fields().writeStringField("version", status.version());
        json.fields().writeStringField("run", status.run().map(UUID::toString).orElse(null));
        json.fields()
                .writeStringField(
                        "snapshot", status.snapshotAt().map(Instant::toString).orElse(null));
        if (status.leaseLeft().isPresent()) {
            json.fields()
                    .writeNumberField(
                            "lease-seconds-left", status.leaseLeft().get().toSeconds());
        }
        RepairOutput.writeTexts(json.fields(), "held-tables", status.heldTables());
        json.fields().writeEndObject();
    }
}
