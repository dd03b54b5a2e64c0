package io.anneal.cli.runs;

/**
 * A replica that took part.
 *
 * @param name by which reports call it
 * @param place what it is whatever it is called: its address, or its directory without what the next snapshot changes
 */
public record RecordedReplica(String name, String place) {}
