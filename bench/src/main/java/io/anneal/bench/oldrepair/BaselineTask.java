package io.anneal.bench.oldrepair;

import io.anneal.key.TokenRange;
import java.util.UUID;

/**
 * What is to be repaired.
 *
 * @param id of the repair: no other one has it
 */
public record BaselineTask(UUID id, String keyspace, String table, TokenRange range) {}
