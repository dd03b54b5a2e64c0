package io.anneal.conformance;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test of a real Cassandra: those of {@link SharedPeer}, or one of its own. The build runs all of them in one process,
 * so that each node is started once, two classes side by side: what another class may touch is locked as a resource.
 */
@Tag("cassandra")
@ExtendWith(SharedPeer.class)
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@interface WithCassandra {}
