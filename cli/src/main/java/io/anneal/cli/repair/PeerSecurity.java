package io.anneal.cli.repair;

import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.Subcommand;
import io.anneal.net.NetConfig;
import io.anneal.net.PeerAddress;
import io.anneal.net.SharedToken;
import io.anneal.net.TlsConfig;
import io.anneal.net.TokenFile;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import picocli.CommandLine.Option;

/** How this command and other nodes prove to each other who they are: certificates, or on one machine a shared secret. */
public final class PeerSecurity {
    private static final List<String> TLS = List.of("--tls-cert", "--tls-key", "--tls-ca");
    private static final String TOGETHER = "--tls-cert, --tls-key and --tls-ca go together";
    private static final String NEEDED = "give --tls-cert, --tls-key and --tls-ca, or on one machine --token-file FILE";

    @Option(
            names = "--tls-cert",
            paramLabel = "FILE.pem",
            description = "This node's certificate. Needed, with key and authority, for any address but loopback.")
    private Path certificateFile;

    @Option(
            names = "--tls-key",
            paramLabel = "FILE.key",
            description = "The certificate's private key: PKCS#8, not encrypted, a file of mode 0600.")
    private Path keyFile;

    @Option(
            names = "--tls-ca",
            paramLabel = "FILE.pem",
            description = "The authorities of the other nodes' certificates; lists of revoked ones may follow.")
    private Path authorityFile;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "The secret shared with the other nodes, a file of mode 0600; with certificates not needed.")
    private Path tokenFile;

    /** @param hasPeers whether the command line names other nodes, to which this one proves itself */
    public void addChecks(Subcommand command, OptionChecks checks, boolean hasPeers) {
        if (hasPeers) {
            checks.add(TLS, () -> command.require(hasTls(), TOGETHER));
        } else {
            checks.add(TLS, () -> refuse(command)).add("--token-file", () -> refuse(command));
        }
    }

    private static void refuse(Subcommand command) {
        throw command.usage("--tls-cert, --tls-key, --tls-ca and --token-file go with --replica");
    }

    private boolean hasTls() {
        return certificateFile != null && keyFile != null && authorityFile != null;
    }

    /** Refuses a command line that names other nodes, and gives nothing to prove. */
    public void require(Subcommand command) {
        boolean hasPartOfTls = certificateFile != null || keyFile != null || authorityFile != null;
        command.require(hasTls() || !hasPartOfTls, TOGETHER);
        command.require(hasTls() || tokenFile != null, NEEDED);
    }

    /** Refuses an address at which rows would travel in the clear. */
    void checkListening(Subcommand command, InetSocketAddress address) {
        if (certificateFile == null
                && (address.isUnresolved() || !address.getAddress().isLoopbackAddress())) {
            throw command.usage(
                    "--listen at any address but loopback needs --tls-cert, --tls-key and --tls-ca, address="
                            + PeerAddress.text(address));
        }
    }

    /** Reads the files that are named, so that what is wrong with them is told before somebody is asked. */
    void requireFiles(Subcommand command) throws IOException {
        config(command, UUID::randomUUID);
    }

    /** A node that asks others: of no name, unless its certificate has one. */
    public CommandNode node(Subcommand command) throws IOException {
        return CommandNode.open(config(command, UUID::randomUUID));
    }

    /** @param nodeId who this node is, unless its certificate says so */
    NetConfig config(Subcommand command, NodeId nodeId) throws IOException {
        Optional<SharedToken> token = tokenFile == null ? Optional.empty() : Optional.of(TokenFile.read(tokenFile));
        if (certificateFile == null) {
            return CommandNode.config(nodeId.get(), token, command.budget());
        }
        TlsConfig tls = new TlsConfig(certificateFile, keyFile, authorityFile);
        Optional<UUID> certified = tls.nodeId();
        UUID id = certified.isPresent() ? certified.get() : nodeId.get();
        return CommandNode.config(id, token, command.budget()).withTls(tls);
    }

    /** Says who this node is. */
    interface NodeId {
        UUID get() throws IOException;
    }
}
