package io.anneal.table;

import io.anneal.fragment.Mutation;

/** A mutation and the table that it is for. */
public record TableWrite(LiveTable table, Mutation mutation) {}
