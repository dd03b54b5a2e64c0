package io.anneal.net;

import java.nio.ByteBuffer;

/**
 * The answer to one request.
 *
 * @param verb    the verb that was asked
 * @param payload a heap buffer that belongs to the receiver
 */
public record Response(Verb verb, ByteBuffer payload) {}
