package io.anneal.dualdao.operation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method that sets what its arguments say, whatever was there: doing it twice is doing it once. One that sets a TTL is a {@link
 * Delete}: in phase 4 it must reach the origin too, where else an older value is found when the newer one has expired.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Write {}
