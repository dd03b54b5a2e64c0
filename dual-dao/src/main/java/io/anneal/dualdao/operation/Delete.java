package io.anneal.dualdao.operation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method that takes a key or a part of it away, be it one that sets a key and with it takes away what was there, or
 * one that sets what expires. A copy that follows it takes the key away on the
 * other side too.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Delete {}
