package io.anneal.dualdao.reflect;

import java.lang.reflect.Array;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.HashMap;
import java.util.Map;

/**
 * What the type variables in a DAO's methods stand for: {@code interface UserDao extends CrudDao<Long, User>} says what {@code T} is in
 * {@code save(T entity)}.
 */
public final class GenericTypes {
    private final Map<TypeVariable<?>, Type> bound = new HashMap<>();

    public GenericTypes(Class<?> type) {
        collect(type);
    }

    private void collect(Class<?> type) {
        for (Type parent : type.getGenericInterfaces()) {
            if (parent instanceof ParameterizedType generic) {
                TypeVariable<?>[] variables = ((Class<?>) generic.getRawType()).getTypeParameters();
                for (int i = 0; i < variables.length; i++) {
                    bound.put(variables[i], generic.getActualTypeArguments()[i]);
                }
            }
            collect(raw(parent));
        }
    }

    /** The class that values of that type surely have; {@code Object} if nothing is known. */
    public Class<?> raw(Type type) {
        if (type instanceof Class<?> plain) {
            return plain;
        }
        if (type instanceof ParameterizedType generic) {
            return (Class<?>) generic.getRawType();
        }
        if (type instanceof TypeVariable<?> variable) {
            Type meant = bound.get(variable);
            return raw(meant != null ? meant : variable.getBounds()[0]);
        }
        if (type instanceof WildcardType wildcard) {
            return raw(wildcard.getUpperBounds()[0]);
        }
        return Array.newInstance(raw(((GenericArrayType) type).getGenericComponentType()), 0)
                .getClass();
    }

    /** The argument at that place of a generic type such as {@code List<User>}; {@code Object} if there is none. */
    public Type argument(Type type, int index) {
        Type meant = type instanceof TypeVariable<?> variable ? bound.getOrDefault(variable, Object.class) : type;
        return meant instanceof ParameterizedType generic && index < generic.getActualTypeArguments().length
                ? generic.getActualTypeArguments()[index]
                : Object.class;
    }
}
