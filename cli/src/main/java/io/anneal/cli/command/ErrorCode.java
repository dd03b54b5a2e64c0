package io.anneal.cli.command;

/** The stable codes of errors, each with what a user can do; {@code docs/errors.md} explains them. */
enum ErrorCode {
    CORRUPT_SSTABLE("ANL-1001", "restore the SSTable from another replica or a backup, or repair without it"),
    UNSUPPORTED_VERSION("ANL-1002", "upgrade the SSTable or Anneal"),
    NOT_FOUND("ANL-1003", "check the path"),
    NOT_A_DIRECTORY("ANL-1004", "give a directory here"),
    ACCESS_DENIED("ANL-1005", "run as the user who owns the files, or change their permissions"),
    AMBIGUOUS_TABLE("ANL-1006", "be more precise"),
    STORAGE_FAILED("ANL-1007", "what is half-written counts for nothing; run again once the disk is well"),
    INPUT_OUTPUT("ANL-1008", "check the disk and the system's log"),
    UNSUPPORTED_SSTABLE("ANL-1009", "leave this table out"),
    CORRUPT_STORE("ANL-1010", "restore the file named from a backup of the store, or the store from a snapshot"),
    CORRUPT_COMMIT_LOG("ANL-1011", "see docs/errors.md before anything else: writes may be lost"),
    CORRUPT_SNAPSHOT("ANL-1012", "copy the snapshot again, with all its files, or take another"),
    FORMER_COLUMN_ORDER(
            "ANL-1013", "write the SSTable anew by 'anneal sstable rewrite', or compact the table of its store"),
    FAILED_SYNC(
            "ANL-1014",
            "restart the machine, look at its disk, compare with other replicas, then 'anneal store acknowledge'"),
    SCHEMA("ANL-2001", "pass the table's schema with --schema FILE.cql"),
    UNSUPPORTED_TYPE("ANL-2002", "leave this table out"),
    INVALID_VALUE("ANL-2003", "verify the SSTable with 'anneal sstable verify --extended'"),
    PEER("ANL-3001", "check that the peer runs, and its address"),
    CORRUPT_FRAME("ANL-3002", "check that the address is a peer of Anneal and the network is sound"),
    REPAIR("ANL-3003", "mend what the line names on that replica, then repair again"),
    CASSANDRA("ANL-3004", "run ./anneal in a checkout, which builds it, or measure without --peer"),
    STORE_UNAVAILABLE("ANL-3005", "see docs/migrate.md for how stores are named"),
    CREDENTIALS("ANL-3006", "mend the file that is named; docs/operate.md shows how tokens and certificates are made"),
    LISTEN("ANL-3007", "choose another address or port, or end whoever listens there"),
    STREAM("ANL-3008", "mend what the line names on that node, then stream again"),
    RUN("ANL-3009", "look at 'anneal repair --status'"),
    LIVE_NODE("ANL-3010", "do what the line names at that node, then repair again; docs/cluster.md has the reasons"),
    GATE("ANL-5001", "do what the line names, and look again with 'anneal migrate status'"),
    PHASE_STORE("ANL-5002", "check --name and --phase-store; 'anneal migrate init' begins a migration, once"),
    PHASE_CHANGED("ANL-5003", "look at 'anneal migrate status' and decide again"),
    BULK("ANL-5004", "mend what the line names and run it again; one that had a --checkpoint goes on where it stopped"),
    JOURNAL("ANL-5005", "look at the disk of --directory; keys of the journal may be lost, so verify again"),
    PAGE_ADDRESS("ANL-5006", "choose another address or port, or end whoever listens there"),
    USAGE("ANL-4001", "see --help"),
    STATE("ANL-4002", "see docs/errors.md"),
    NOT_AVAILABLE("ANL-4003", "choose something that this version has"),
    MEMORY("ANL-4004", "give more with --memory"),
    /** Of the process itself. */
    OUT_OF_MEMORY("ANL-4004", "give more with --memory"),
    COOKIE(
            "ANL-4005",
            "give the cookie whole, with the table, ranges, conditions and key it was made with; or scan anew"),
    INTERNAL("ANL-9001", "this is a bug: run again with --stacktrace and report what it prints");

    private final String code;
    private final String advice;

    ErrorCode(String code, String advice) {
        this.code = code;
        this.advice = advice;
    }

    String code() {
        return code;
    }

    String advice() {
        return advice;
    }
}
