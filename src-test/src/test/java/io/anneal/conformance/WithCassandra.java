package io.anneal.conformance;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test of the real Cassandras of {@link SharedPeer}. The module {@code src-test/cassandra} runs all of them in one process, so
 * that each node is started once; what two classes touch is locked as a resource. A class with nodes of its own runs in {@code src-test}, among all others.
 */
@Tag("cassandra")
@ExtendWith(SharedPeer.class)
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@interface WithCassandra {}
