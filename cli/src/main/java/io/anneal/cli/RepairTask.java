package io.anneal.cli;

import io.anneal.key.TokenRange;
import io.anneal.repair.message.Waiver;
import java.util.Set;

/** What a repair command was asked to do with one table. */
record RepairTask(QualifiedTable table, TokenRange range, int bufferBytes, boolean dryRun, Set<Waiver> waivers) {}
