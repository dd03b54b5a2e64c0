package io.anneal.dualdao.operation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method that adds to what is there. It is done once, on the side that is right, and never repeated; the other side gets the
 * result by {@code KeyCopy}. If that fails, so does the method: {@code OutcomePerSide} then says that it was done.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Increment {}
