package testbed.device;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.robolectric.util.ReflectionHelpers;

/** Hidden parts of the framework, whose shapes differ between API levels, are reached only through here. */
public final class Reflect {
    private Reflect() {}

    /** A call of a played binder interface, by name: the parameters differ between API levels. */
    public interface Answer {
        Object call(String method, Object[] arguments) throws Throwable;
    }

    /** Marks a call that the answer doesn't know: the type's empty value is returned instead. */
    public static final Object UNKNOWN = new Object();

    @SuppressWarnings("unchecked")
    public static <T> T play(String interfaceName, Answer answer) {
        Class<?> type = type(interfaceName);
        android.os.Binder binder = new android.os.Binder();
        InvocationHandler handler = (proxy, method, arguments) -> {
            switch (method.getName()) {
                case "asBinder": return binder;
                case "hashCode": return System.identityHashCode(proxy);
                case "equals": return proxy == arguments[0];
                case "toString": return interfaceName + "@" + Integer.toHexString(System.identityHashCode(proxy));
                default:
            }
            Object result = answer.call(method.getName(), arguments == null ? new Object[0] : arguments);
            return result == UNKNOWN ? empty(method.getReturnType()) : result;
        };
        return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private static Object empty(Class<?> type) {
        if (type == String.class || type == java.util.List.class || type.isArray()) {
            return type == java.util.List.class ? new java.util.ArrayList<>() : null;
        }
        return ReflectionHelpers.defaultValueForType(type.getName());
    }

    public static Class<?> type(String name) {
        try {
            return Class.forName(name, true, Reflect.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    public static Field field(Class<?> type, String name) {
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            try {
                Field field = at.getDeclaredField(name);
                field.setAccessible(true);
                return field;
            } catch (NoSuchFieldException e) {
                // Look further up.
            }
        }
        return null;
    }

    @SuppressWarnings("unchecked")
    public static <T> T get(Object object, String name) {
        try {
            Field field = field(object instanceof Class ? (Class<?>) object : object.getClass(), name);
            return field == null ? null : (T) field.get(object instanceof Class ? null : object);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Sets a field if this API level has it; says whether it does. */
    public static boolean set(Object object, String name, Object value) {
        try {
            Field field = field(object instanceof Class ? (Class<?>) object : object.getClass(), name);
            if (field == null) return false;
            field.set(object instanceof Class ? null : object, value);
            return true;
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Calls by name and number of arguments. */
    @SuppressWarnings("unchecked")
    public static <T> T call(Object object, String name, Object... arguments) {
        Class<?> start = object instanceof Class ? (Class<?>) object : object.getClass();
        for (Class<?> at = start; at != null; at = at.getSuperclass()) {
            for (Method method : at.getDeclaredMethods()) {
                if (!method.getName().equals(name) || !accepts(method.getParameterTypes(), arguments)) continue;
                try {
                    method.setAccessible(true);
                    return (T) method.invoke(object instanceof Class ? null : object, arguments);
                } catch (InvocationTargetException e) {
                    throw unchecked(e.getCause());
                } catch (IllegalAccessException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
        throw new IllegalStateException("no method " + name + " with " + arguments.length + " arguments in " + start.getName());
    }

    public static boolean has(Class<?> type, String name, int arguments) {
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            for (Method method : at.getDeclaredMethods()) {
                if (method.getName().equals(name) && method.getParameterCount() == arguments) return true;
            }
        }
        return false;
    }

    /** Type and value alternate. */
    @SuppressWarnings("unchecked")
    public static <T> T create(Class<T> type, Object... pairs) {
        Class<?>[] types = new Class<?>[pairs.length / 2];
        Object[] values = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            types[i] = (Class<?>) pairs[2 * i];
            values[i] = pairs[2 * i + 1];
        }
        try {
            Constructor<T> constructor = type.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor.newInstance(values);
        } catch (InvocationTargetException e) {
            throw unchecked(e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean accepts(Class<?>[] types, Object[] values) {
        if (types.length != values.length) return false;
        for (int i = 0; i < types.length; i++) {
            if (values[i] == null) {
                if (types[i].isPrimitive()) return false;
            } else if (!box(types[i]).isInstance(values[i])) {
                return false;
            }
        }
        return true;
    }

    private static Class<?> box(Class<?> type) {
        return type.isPrimitive() ? java.lang.invoke.MethodType.methodType(type).wrap().returnType() : type;
    }

    public static RuntimeException unchecked(Throwable failure) {
        if (failure instanceof Error) throw (Error) failure;
        return failure instanceof RuntimeException ? (RuntimeException) failure : new IllegalStateException(failure);
    }
}
