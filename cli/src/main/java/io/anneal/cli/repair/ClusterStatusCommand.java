package io.anneal.cli.repair;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.agent.AgentPeer;
import io.anneal.agent.AgentStatus;
import io.anneal.cli.command.ErrorReport;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.Subcommand;
import io.anneal.net.PeerException;
import io.anneal.net.Waiting;
import io.anneal.repair.RepairRunner;
import java.io.IOException;
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
    protected void addChecks(OptionChecks checks) {
        checks.add("--agent", () -> agents.forEach(address -> peerAddress("--agent", address)));
        security.addChecks(this, checks, true);
    }

    @Override
    protected int execute() throws IOException {
        security.require(this);
        try (CommandNode node = security.node(this)) {
            if (!json()) {
                return show(this, node, agents);
            }
            JsonGenerator json = resultFields();
            json.writeArrayFieldStart("agents");
            int exitCode = ask(this, node, agents, new Told() {
                @Override
                public void status(AgentPeer agent, AgentStatus status) throws IOException {
                    write(json, agent, status);
                }

                @Override
                public void silence(AgentPeer agent, ErrorReport failure) throws IOException {
                    json.writeStartObject();
                    json.writeStringField("agent", agent.name());
                    json.writeStringField("error", failure.message());
                    json.writeEndObject();
                }
            });
            json.writeEndArray();
            return exitCode;
        }
    }

    private interface Told {
        void status(AgentPeer agent, AgentStatus status) throws IOException;

        void silence(AgentPeer agent, ErrorReport failure) throws IOException;
    }

    /** Prints what agents hold; returns what the command exits with. */
    static int show(Subcommand command, CommandNode node, List<String> agents) throws IOException {
        return ask(command, node, agents, new Told() {
            @Override
            public void status(AgentPeer agent, AgentStatus status) {
                print(command, agent, status);
            }

            @Override
            public void silence(AgentPeer agent, ErrorReport failure) {
                command.out().println(agent.name() + ": not known what it holds, it did not answer");
            }
        });
    }

    private static int ask(Subcommand command, CommandNode node, List<String> agents, Told told) throws IOException {
        boolean isHeld = false;
        boolean isUnanswered = false;
        for (String address : agents) {
            AgentPeer agent = new AgentPeer(node.node().peers(), RepairRunner.address(address));
            try {
                AgentStatus status = Waiting.result(agent.status(List.of()));
                isHeld |= status.run().isPresent() || !status.heldTables().isEmpty();
                told.status(agent, status);
            } catch (PeerException e) {
                isUnanswered = true;
                told.silence(agent, command.tell(e));
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

    private static void print(Subcommand command, AgentPeer agent, AgentStatus status) {
        Duration ahead = Duration.between(command.environment().clock().instant(), status.now());
        command.out()
                .println(agent.name() + ": node " + status.endpoint() + ", host id " + status.hostId() + ", Cassandra "
                        + status.version() + ", clock " + ahead.toMillis() + " ms ahead");
        command.out()
                .println("  "
                        + status.run()
                                .map(run -> "run " + run
                                        + (status.heldTables().isEmpty()
                                                ? " holds no deletions"
                                                : " holds deletions in " + status.heldTables())
                                        + status.snapshotAt()
                                                .map(at -> ", snapshot of " + at)
                                                .orElse("")
                                        + status.leaseLeft()
                                                .map(left -> ", lets go in " + left.toSeconds()
                                                        + " s unless it hears of the run")
                                                .orElse(""))
                                .orElse(
                                        status.heldTables().isEmpty()
                                                ? "holds nothing"
                                                : "holds deletions still, and lets them go soon, in "
                                                        + status.heldTables()));
    }

    private static void write(JsonGenerator json, AgentPeer agent, AgentStatus status) throws IOException {
        json.writeStartObject();
        json.writeStringField("agent", agent.name());
        json.writeStringField("node", status.endpoint());
        json.writeStringField("host-id", status.hostId().toString());
        json.writeStringField("version", status.version());
        json.writeStringField("run", status.run().map(UUID::toString).orElse(null));
        json.writeStringField(
                "snapshot", status.snapshotAt().map(Instant::toString).orElse(null));
        if (status.leaseLeft().isPresent()) {
            json.writeNumberField("lease-seconds-left", status.leaseLeft().get().toSeconds());
        }
        RepairOutput.writeTexts(json, "held-tables", status.heldTables());
        json.writeEndObject();
    }
}
