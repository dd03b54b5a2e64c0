package io.anneal.cli.repair;

import io.anneal.agent.AgentPeer;
import io.anneal.agent.AgentStatus;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.JsonResult;
import io.anneal.cli.command.Subcommand;
import io.anneal.net.Waiting;
import io.anneal.repair.RepairRunner;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code anneal cluster status}: what agents hold. */
@Command(
        name = "status",
        description = "Shows what agents hold at their nodes, and for which run. Exits with 1 if any of them holds"
                + " anything.")
public final class ClusterStatusCommand extends Subcommand {
    @Option(names = "--agent", required = true, paramLabel = "HOST:PORT", description = "An agent; repeatable.")
    private List<String> agents;

    @Mixin
    private PeerSecurity security = new PeerSecurity();

    @Override
    protected int execute() throws IOException {
        security.check(this);
        boolean isHeld = false;
        try (CommandNode node = security.node(this);
                JsonResult json = json() ? new JsonResult(out(), "cluster status") : null) {
            if (json != null) {
                json.fields().writeArrayFieldStart("agents");
            }
            for (String address : agents) {
                AgentPeer agent = new AgentPeer(node.node().peers(), RepairRunner.address(address));
                AgentStatus status = Waiting.result(agent.status(List.of()));
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
        return isHeld ? ExitCode.NO : ExitCode.YES;
    }

    private void print(AgentPeer agent, AgentStatus status) {
        Duration ahead = Duration.between(environment().clock().instant(), status.now());
        out().println(agent.name() + ": node " + status.endpoint() + ", host id " + status.hostId() + ", Cassandra "
                + status.version() + ", clock " + ahead.toMillis() + " ms ahead");
        out().println("  "
                + status.run()
                        .map(run -> "run " + run + " holds deletions in " + status.heldTables())
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
        RepairOutput.writeTexts(json.fields(), "held-tables", status.heldTables());
        json.fields().writeEndObject();
    }
}
