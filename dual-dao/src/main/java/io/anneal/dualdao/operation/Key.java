package io.anneal.dualdao.operation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The key that a call is about: on a parameter that is the key, or a collection of keys or a map by key; with the name of a
 * property, on a parameter that is an entity, or a collection of them.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface Key {
    /** The name of the entity's accessor or field; empty if the parameter is the key itself. */
    String value() default "";
}
