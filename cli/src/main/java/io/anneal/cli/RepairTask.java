package io.anneal.cli;

import io.anneal.key.TokenRange;

/** What a repair command was asked to do with one table. */
record RepairTask(QualifiedTable table, TokenRange range, int bufferBytes, boolean dryRun, boolean allowEmpty) {}
