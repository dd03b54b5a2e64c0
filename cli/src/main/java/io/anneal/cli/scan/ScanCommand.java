package io.anneal.cli.scan;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.NamedNode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.OutputException;
import io.anneal.cli.command.Progress;
import io.anneal.cli.command.QualifiedTable;
import io.anneal.cli.command.RingFile;
import io.anneal.cli.command.Subcommand;
import io.anneal.cli.repair.CommandNode;
import io.anneal.cli.repair.PeerSecurity;
import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import io.anneal.net.Connector;
import io.anneal.net.PeerAddress;
import io.anneal.net.PeerException;
import io.anneal.node.Ring;
import io.anneal.paging.Consistency;
import io.anneal.paging.PagedTable;
import io.anneal.paging.Paging;
import io.anneal.paging.RemotePages;
import io.anneal.paging.Scan;
import io.anneal.paging.ScanPages;
import io.anneal.paging.querier.QuerierLimits;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageLimits;
import io.anneal.paging.query.PageSource;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableSchema;
import io.anneal.schema.ViewText;
import io.anneal.store.SSTables;
import io.anneal.store.directory.CassandraDirectory;
import io.anneal.store.directory.TableSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code anneal scan}: the rows of a table page by page, as JSON, as CSV or counted. */
@Command(
        name = "scan",
        description =
                "Prints the rows of a table, page by page. What stops it leaves a cookie, by which --resume goes on.")
public final class ScanCommand extends Subcommand {
    /** How rows are printed. */
    enum Format {
        json,
        csv,
        count
    }

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description =
                    "A store that is not open, a data directory of Cassandra's, a snapshot or a table's directory;"
                            + " repeatable. Only read.")
    private List<Path> directories = List.of();

    @Option(
            names = "--replica",
            paramLabel = "[NAME=]HOST:PORT",
            converter = NamedNode.Converter.class,
            description =
                    "Instead of --data: a node's 'anneal serve'; NAME is its name in the ring, its host by default."
                            + " Repeatable: from another one when one fails. Needs --table, and certificates or"
                            + " --token-file.")
    private List<NamedNode> replicas = List.of();

    @Option(
            names = "--ring",
            paramLabel = "FILE",
            description = "Which of the replicas own what: the output of 'nodetool describering KEYSPACE'. Without it"
                    + " each owns everything.")
    private Path ringFile;

    @Option(
            names = "--consistency",
            paramLabel = "LEVEL",
            description = "How many owners of each row are read and merged, one of ${COMPLETION-CANDIDATES};"
                    + " ${DEFAULT-VALUE} by default.",
            defaultValue = "ONE")
    private Consistency consistency;

    @Mixin
    private PeerSecurity security = new PeerSecurity();

    @Option(
            names = "--table",
            paramLabel = "KS.TABLE",
            converter = QualifiedTable.Converter.class,
            description = "The table; may be left out where there is only one.")
    private QualifiedTable table;

    @Option(
            names = "--schema",
            paramLabel = "FILE.cql",
            description = "The schema text, instead of that beside the SSTables.")
    private Path schemaFile;

    @Option(
            names = "--range",
            paramLabel = "(A,B]",
            description = "Only these tokens, as (A,B] or A:B; wraps around; repeatable. Write --range='(A,B]'.")
    private List<String> ranges = List.of();

    @Option(
            names = "--where",
            paramLabel = "CONDITION",
            description =
                    "Only rows that meet it, as 'price >= 10', \"name = 'Bo'\" or 'item IN (1, 2)'; repeatable, all"
                            + " must hold. On key, clustering, static and plain columns; = != < <= > >= IN.")
    private List<String> conditions = List.of();

    @Option(
            names = "--reversed",
            description = "Each partition from its last row on; needs the partition key in --where.")
    private boolean reversed;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "One of ${COMPLETION-CANDIDATES}; ${DEFAULT-VALUE} by default: an object a line.",
            defaultValue = "json")
    private Format format;

    @Option(
            names = "--page-size",
            paramLabel = "ROWS",
            description = "Rows of a page; ${DEFAULT-VALUE} by default.",
            defaultValue = "" + PageLimits.ROWS_DEFAULT)
    private int pageSize;

    @Option(names = "--limit", paramLabel = "ROWS", description = "At most so many rows now.")
    private Long limit;

    @Option(
            names = "--resume",
            paramLabel = "COOKIE",
            description = "Goes on where a scan of the same table, ranges and conditions stopped.")
    private String cookie;

    @Option(
            names = "--cookie-key",
            paramLabel = "FILE",
            description = "Signs cookies by the bytes of this file, 16 at least, and takes no others.")
    private Path cookieKey;

    @Option(names = "--stateless", description = "Keeps nothing between pages: seeks anew for each. To compare.")
    private boolean stateless;

    private volatile boolean isStopped;

    /** What cookies are signed with. */
    private Optional<byte[]> key = Optional.empty();

    private Optional<RowPrinter> printer = Optional.empty();
    /** Rows of this run, and those before the cookie. */
    private long rowCount;

    private long countedBefore;
    /** Whether all that is known of the table is what its SSTables tell. */
    private boolean isWithoutText;

    private long lengthBytes;

    @Override
    protected void addChecks(OptionChecks checks) {
        checks.add(
                        List.of("--data", "--schema", "--replica"),
                        () -> require(
                                replicas.isEmpty() || directories.isEmpty() && schemaFile == null,
                                "--replica excludes --data and --schema"))
                .add("--replica", () -> {
                    if (ringFile == null) {
                        named(Optional.empty());
                    }
                })
                .add(
                        List.of("--ring", "--consistency"),
                        () -> require(!replicas.isEmpty(), "--ring and --consistency need --replica"))
                .add("--range", this::tokens)
                .add("--where", this::conditions)
                .add(
                        List.of("--format", "--json"),
                        () -> require(!json() || format != Format.csv, "--json excludes --format csv"))
                .add("--page-size", () -> require(pageSize >= 1, "--page-size must be positive, pageSize=" + pageSize))
                .add("--limit", () -> require(limit >= 1, "--limit must be positive, limit=" + limit));
        security.addChecks(this, checks, !replicas.isEmpty());
    }

    @Override
    protected int execute() throws IOException {
        require(replicas.isEmpty() || table != null, "--replica needs --table");
        require(!directories.isEmpty() || !replicas.isEmpty(), "give the rows' place as --data or as --replica");
        if (!replicas.isEmpty()) {
            security.require(this);
        }
        if (cookieKey != null) {
            requireFile("--cookie-key", cookieKey);
            key = Optional.of(Files.readAllBytes(cookieKey));
        }
        stopOnSignal(() -> isStopped = true);
        return replicas.isEmpty() ? scanDirectories() : scanReplicas();
    }

    private List<TokenRange> tokens() {
        return read("--range", () -> ranges.stream().map(TokenRange::parse).toList());
    }

    private List<ConditionText> conditions() {
        return read(
                "--where", () -> conditions.stream().map(ConditionText::parse).toList());
    }

    private int scanDirectories() throws IOException {
        try (SSTables sstables = openDirectories();
                Paging paging = Paging.open(QuerierLimits.DEFAULT, host())) {
            return print(paging.table(sstables));
        }
    }

    private int scanReplicas() throws IOException {
        Optional<Ring> ring = ringFile == null ? Optional.empty() : Optional.of(RingFile.read(this, ringFile));
        Map<String, NamedNode> named = named(ring);
        try (CommandNode node = security.node(this);
                Paging paging = Paging.open(QuerierLimits.DEFAULT, host())) {
            Connector peers = node.node().peers();
            if (ring.isEmpty() && replicas.size() == 1) {
                return print(paging.table(open(peers, replicas.get(0))));
            }
            return print(paging.table(
                    ring.orElseGet(() -> Ring.of(List.of(TokenRange.FULL), named.keySet())),
                    open(peers, named),
                    consistency));
        }
    }

    /** By their names in the ring; without one by their addresses. */
    private Map<String, NamedNode> named(Optional<Ring> ring) {
        Map<String, NamedNode> named = new LinkedHashMap<>();
        for (NamedNode replica : replicas) {
            String name = ring.isEmpty() ? PeerAddress.text(replica.address()) : replica.name();
            if (named.put(name, replica) != null) {
                throw usage(
                        "replica is given twice: give each its own name in the ring, as NAME=HOST:PORT, name=" + name);
            }
            if (ring.isPresent() && !ring.get().owners().contains(name)) {
                throw usage("ring has no such node: name it as NAME=HOST:PORT by the ring's name, node=" + name
                        + ", nodes=" + ring.get().owners().stream().sorted().toList());
            }
        }
        return named;
    }

    /** Those that answer: whether they are enough is told when the first page is read. */
    private Map<String, PageSource> open(Connector peers, Map<String, NamedNode> named) throws IOException {
        Map<String, PageSource> answering = new LinkedHashMap<>();
        PeerException failure = null;
        for (Map.Entry<String, NamedNode> replica : named.entrySet()) {
            try {
                answering.put(replica.getKey(), open(peers, replica.getValue()));
            } catch (PeerException failed) {
                failure = failed;
                environment().err().println("replica is left out: " + failed.getMessage());
            }
        }
        if (answering.isEmpty()) {
            throw failure;
        }
        return answering;
    }

    private RemotePages open(Connector peers, NamedNode replica) throws IOException {
        return RemotePages.open(peers, replica.address(), "", table.keyspace(), table.table());
    }

    private int print(PagedTable paged) throws IOException {
        Scan scan = scan(paged);
        ScanPages pages = cookie == null ? scan.pages() : scan.pages(cookie);
        // What was counted before the cookie is counted: the number is that of the whole scan.
        countedBefore = format == Format.count ? pages.rowCount() : 0;
        return print(pages, paged.schema());
    }

    private SSTables openDirectories() throws IOException {
        CassandraDirectory found = CassandraDirectory.of(directories);
        found.requireTables();
        TableSource source = TableSource.ofTableOrView(
                table == null ? found.onlyTable() : found.table(table.keyspace(), table.table()),
                Optional.ofNullable(schemaFile),
                List.of(),
                this::noteView);
        isWithoutText = source.schemaText().isEmpty();
        return SSTables.open(source);
    }

    private void noteView(ViewText view) {
        say("note: no text describes " + view.keyspace() + "." + view.base()
                + ", the base of this view, so its rows are shown as"
                + " those of a view whose key has a column that the base's key has not, as nearly all have; give the text with"
                + " --schema to be sure");
    }

    private Scan scan(PagedTable paged) throws IOException {
        Scan scan = ranges.isEmpty() ? paged.scan() : paged.scan(tokens().toArray(TokenRange[]::new));
        for (ConditionText condition : conditions()) {
            if (isWithoutText && paged.schema().column(condition.column()).isEmpty()) {
                throw new SchemaException("SSTables alone do not tell the names of key columns, column="
                        + condition.column() + ", condition=" + condition.text());
            }
            scan = scan.where(read("--where", () -> condition.on(paged.schema())));
        }
        scan = scan.pageSize(pageSize);
        if (reversed) {
            scan = scan.reversed();
        }
        if (stateless) {
            scan = scan.stateless();
        }
        return key.isEmpty() ? scan : scan.signedWith(key.get());
    }

    private int print(ScanPages pages, TableSchema schema) throws IOException {
        if (!json()) {
            if (format == Format.csv && cookie == null) {
                write(CsvRowPrinter.header(schema));
            }
            int exitCode = printAll(pages, this::write);
            if (format == Format.count && exitCode == ExitCode.YES) {
                out().println(countedBefore + rowCount);
            }
            return exitCode;
        }
        JsonGenerator fields = resultFields();
        int exitCode;
        if (format == Format.json) {
            fields.writeArrayFieldStart("rows");
            exitCode = printAll(pages, text -> {
                fields.writeRaw(text.toString());
                fields.flush();
                checkOutput();
            });
            fields.writeEndArray();
        } else {
            exitCode = printAll(pages, text -> {});
        }
        fields.writeNumberField("rowCount", countedBefore + rowCount);
        fields.writeStringField("cookie", pages.cookie().orElse(null));
        return exitCode;
    }

    /** Prints until the end, the limit, or a wish to stop; says how to go on. */
    private int printAll(ScanPages pages, RowPrinter.Sink sink) throws IOException {
        Optional<String> printed = pages.cookie();
        try (pages;
                Progress progress = progress("scan")) {
            while (pages.hasNext() && !isLimitReached() && !isStopped) {
                Page page = pages.next(rowsLeft()).orElseThrow();
                if (format != Format.count) {
                    print(pages, page, sink);
                }
                printed = pages.cookie();
                rowCount += page.rowCount();
                lengthBytes += page.lengthBytes();
                progress.update(lengthBytes, rowCount);
            }
        } catch (OutputException lost) {
            if (!lost.isClosedPipe()) {
                advise("stopped", false, printed);
            }
            throw lost;
        } catch (IOException | RuntimeException e) {
            advise("stopped", false, printed);
            throw e;
        }
        if (!pages.hasNext()) {
            return ExitCode.YES;
        }
        if (isLimitReached()) {
            advise("more rows may follow", true, printed);
            return ExitCode.YES;
        }
        advise("interrupted", false, printed);
        return ExitCode.INTERRUPTED;
    }

    private boolean isLimitReached() {
        return limit != null && rowCount >= limit;
    }

    private long rowsLeft() {
        return limit == null ? Long.MAX_VALUE : limit - rowCount;
    }

    private void print(ScanPages pages, Page page, RowPrinter.Sink sink) throws IOException {
        if (printer.isEmpty() || !printer.get().schema().equals(page.schema())) {
            printer = Optional.of(
                    format == Format.csv
                            ? new CsvRowPrinter(page.schema(), sink)
                            : new JsonRowPrinter(page.schema(), !json(), rowCount == 0, sink));
        }
        try (FragmentCursor rows = pages.cursor(page)) {
            printer.get().print(rows);
        }
    }

    private void write(CharSequence text) throws IOException {
        out().write(text.toString().getBytes(StandardCharsets.UTF_8));
        checkOutput();
    }

    /** Says how to go on, also where quiet is wanted if what was asked for is not there. */
    private void advise(String what, boolean isWanted, Optional<String> next) {
        String line = next.map(text -> what + " after " + rowCount + " rows; to go on give --resume " + text)
                .orElse(what + " before the first page was printed");
        if (isWanted) {
            say(line);
        } else {
            environment().err().println(line);
        }
    }
}
