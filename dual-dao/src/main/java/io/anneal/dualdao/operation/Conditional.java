package io.anneal.dualdao.operation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method whose effect depends on what is there, such as a compare-and-set. It is asked of the side that is right, once; the
 * other side gets the result by {@code KeyCopy}, since it might decide otherwise. If that fails, so does the method: {@code
 * OutcomePerSide} then says that the side that is right took it.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Conditional {}
