package io.anneal.cli.repair;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.agent.Agent;
import io.anneal.agent.AgentService;
import io.anneal.agent.AgentStatus;
import io.anneal.agent.LiveNodeConfig;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.Subcommand;
import io.anneal.io.RateLimiter;
import io.anneal.net.PasswordFile;
import io.anneal.net.PeerAddress;
import io.anneal.node.NodeFile;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code anneal agent}: stands beside a Cassandra node that runs, for {@code anneal cluster}, until it is stopped. */
@Command(
        name = "agent",
        description = "Stands beside a Cassandra node that runs, and does for it what 'anneal cluster' asks, until"
                + " stopped. Run it as Cassandra's user.")
public final class AgentCommand extends Subcommand {
    private static final Logger LOG = LoggerFactory.getLogger(AgentCommand.class);

    /** As long as a node may take that is busy; less than who ends services by default waits. */
    private static final long LET_GO_MS = 20_000;

    @Option(
            names = "--jmx",
            required = true,
            paramLabel = "HOST:PORT",
            description = "The node's JMX, as 127.0.0.1:7199.")
    private String jmx;

    @Option(
            names = "--cql",
            paramLabel = "HOST:PORT",
            description = "The node's CQL, at its own address, as 10.0.0.1:9042. By default where the node says by JMX"
                    + " that clients find it.")
    private String cql;

    @Option(
            names = "--listen",
            required = true,
            paramLabel = "HOST:PORT",
            description = "Where to listen: at the node's address in the ring, and the same port beside all nodes. Any"
                    + " address but loopback needs certificates.")
    private String listen;

    @Option(
            names = "--directory",
            required = true,
            paramLabel = "DIR",
            description = "For what the node is to import; the agent's alone, on the file system of the node's data.")
    private Path directory;

    @Option(names = "--jmx-user", paramLabel = "NAME", description = "Who logs in at JMX.")
    private String jmxUser;

    @Option(
            names = "--jmx-password-file",
            paramLabel = "FILE",
            description = "The password for JMX, in a file of mode 0600.")
    private Path jmxPasswordFile;

    @Option(
            names = "--jmx-tls",
            description = "Speak JMX over TLS. Java's options say whom to trust: JAVA_TOOL_OPTIONS with"
                    + " -Djavax.net.ssl.trustStore=FILE.")
    private boolean jmxTls;

    @Option(names = "--cql-user", paramLabel = "NAME", description = "Who logs in at CQL.")
    private String cqlUser;

    @Option(
            names = "--cql-password-file",
            paramLabel = "FILE",
            description = "The password for CQL, in a file of mode 0600.")
    private Path cqlPasswordFile;

    @Option(names = "--cql-tls", description = "Speak CQL over TLS, as --jmx-tls does.")
    private boolean cqlTls;

    @Option(
            names = "--tls-name",
            paramLabel = "NAME",
            description = "What the node's certificate at CQL names, where it is not the address that CQL listens on.")
    private String tlsName;

    @Option(
            names = "--plain-login",
            description = "Log in without TLS also where the node's address is not loopback: whoever listens on the way"
                    + " reads the password.")
    private boolean isPlainLogin;

    @Option(
            names = "--check",
            description =
                    "Say whether an agent could start here, and do not start it: the node answers, is of a version that is"
                            + " supported, and has its data on the directory's file system. Nothing is made.")
    private boolean isCheck;

    @Mixin
    private PeerSecurity security = new PeerSecurity();

    @Override
    protected void addChecks(OptionChecks checks) {
        checks.add("--jmx", () -> peerAddress("--jmx", jmx))
                .add("--cql", () -> peerAddress("--cql", cql))
                .add("--listen", () -> security.checkListening(this, listenAddress("--listen", listen)))
                .add(
                        List.of("--jmx-user", "--jmx-password-file"),
                        () -> checkLogin("--jmx-user", jmxUser, jmxPasswordFile))
                .add(
                        List.of("--cql-user", "--cql-password-file"),
                        () -> checkLogin("--cql-user", cqlUser, cqlPasswordFile));
        checks.add(List.of("--tls-name", "--cql-tls"), this::checkTlsName);
        security.addChecks(this, checks, true);
    }

    private void checkTlsName() {
        require(tlsName == null || cqlTls, "--tls-name goes with --cql-tls");
        require(tlsName == null || !tlsName.isBlank(), "--tls-name is empty");
    }

    private void checkLogin(String option, String user, Path passwordFile) {
        require(user != null && passwordFile != null, option + " and the password's file go together");
        require(!user.isEmpty(), option + " is empty");
    }

    @Override
    protected int execute() throws IOException, InterruptedException {
        security.require(this);
        InetSocketAddress address = listenAddress("--listen", listen);
        InetSocketAddress beans = peerAddress("--jmx", jmx);
        LiveNodeConfig config = (cql == null
                        ? LiveNodeConfig.of(beans)
                        : LiveNodeConfig.of(beans, peerAddress("--cql", cql)))
                .withLogins(login(jmxUser, jmxPasswordFile), login(cqlUser, cqlPasswordFile))
                .withTls(jmxTls, cqlTls);
        if (tlsName != null) {
            config = config.withTlsName(tlsName);
        }
        if (isPlainLogin) {
            config = config.withPlainLogin();
        }
        security.requireFiles(this);
        if (isCheck) {
            AgentStatus node = Agent.check(config, directory, host());
            try (CommandNode listening = CommandNode.open(security.config(this, host()::newId))) {
                listening.node().listen(address);
            }
            if (json()) {
                JsonGenerator json = resultFields();
                json.writeStringField("node", node.endpoint());
                json.writeStringField("host-id", node.hostId().toString());
                json.writeStringField("version", node.version());
            } else {
                out().println("an agent can start here: node " + node.endpoint() + ", host id " + node.hostId()
                        + ", Cassandra " + node.version());
            }
            return ExitCode.YES;
        }
        try (Agent agent = Agent.open(config, directory, host());
                CommandNode node = CommandNode.serve(
                        address,
                        agent.replicas(listen),
                        security.config(this, () -> NodeFile.idOf(directory, host()::newId)),
                        host(),
                        RateLimiter.UNLIMITED,
                        new AgentService(agent)::register)) {
            agent.whenBusy(AgentHeap::work);
            agent.whenIdle(AgentHeap::rest);
            if (json()) {
                resultFields().writeStringField("listening", PeerAddress.text(node.address()));
                endResult();
            } else {
                out().println("listening on " + PeerAddress.text(node.address()));
                out().flush();
            }
            node.awaitStop(() -> letGo(agent), () -> {});
            return ExitCode.YES;
        }
    }

    /** Before peers are told: whoever ends a process waits for it for some seconds, and then kills it. */
    private static void letGo(Agent agent) {
        Thread closing = new Thread(
                () -> {
                    try {
                        agent.close();
                    } catch (IOException | RuntimeException e) {
                        LOG.error("agent did not end well, reason={}", e.getMessage(), e);
                    }
                },
                "anneal-let-go");
        closing.setDaemon(true);
        closing.start();
        try {
            closing.join(LET_GO_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (closing.isAlive()) {
            LOG.error(
                    "what is held for a run could not be let go in time: the next agent that starts here lets go,"
                            + " limitMs={}",
                    LET_GO_MS);
        }
    }

    private static Optional<LiveNodeConfig.Login> login(String user, Path passwordFile) throws IOException {
        return user == null
                ? Optional.empty()
                : Optional.of(new LiveNodeConfig.Login(user, PasswordFile.read(passwordFile)));
    }
}
