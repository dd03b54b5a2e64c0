package io.anneal.dualdao.reflect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

final class ForwardingClassTest {
    interface EveryType {
        boolean booleans(boolean a, boolean b);

        byte bytes(byte a, byte b);

        char chars(char a, char b);

        short shorts(short a, short b);

        int ints(int a, int b);

        long longs(long a, long b);

        float floats(float a, float b);

        double doubles(double a, double b);

        String mixed(int a, long b, Object c, double d, byte[] e, String... f);

        int[][] arrays(long[] a, String[][] b);

        void nothing();
    }

    @Test
    void shouldHandOnArgumentsAndAnswersOfEveryType() {
        EveryType second = forwarding(EveryType.class, (method, arguments) -> {
            if (method.getName().equals("mixed")) {
                return Arrays.deepToString(arguments);
            }
            return arguments.length == 2 ? arguments[1] : null;
        });

        assertThat(second.booleans(false, true)).isTrue();
        assertThat(second.bytes((byte) 1, (byte) -2)).isEqualTo((byte) -2);
        assertThat(second.chars('a', '\uffff')).isEqualTo('\uffff');
        assertThat(second.shorts((short) 1, Short.MIN_VALUE)).isEqualTo(Short.MIN_VALUE);
        assertThat(second.ints(1, Integer.MIN_VALUE)).isEqualTo(Integer.MIN_VALUE);
        assertThat(second.longs(1, Long.MIN_VALUE)).isEqualTo(Long.MIN_VALUE);
        assertThat(second.floats(1, Float.MIN_VALUE)).isEqualTo(Float.MIN_VALUE);
        assertThat(second.doubles(1, Double.MIN_VALUE)).isEqualTo(Double.MIN_VALUE);
        assertThat(second.mixed(1, 2L, null, 4.5, new byte[] {5}, "six", "seven"))
                .isEqualTo("[1, 2, null, 4.5, [5], [six, seven]]");
        second.nothing();

        int[][] answer = {{1}, {2, 3}};
        EveryType array = forwarding(EveryType.class, (method, arguments) -> answer);
        assertThat(array.arrays(new long[0], new String[0][])).isSameAs(answer);
    }

    interface ManyParameters {
        double last(
                long a,
                double b,
                long c,
                double d,
                long e,
                double f,
                long g,
                double h,
                long i,
                double j,
                long k,
                double l,
                long m,
                double n,
                long o,
                double p,
                long q,
                double r,
                long s,
                double t,
                String u,
                double v);
    }

    @Test
    void shouldCountTheSlotsOfLongsAndDoubles() {
        ManyParameters last = forwarding(ManyParameters.class, (method, arguments) -> arguments[21]);

        assertThat(last.last(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, "21", 22))
                .isEqualTo(22);
    }

    interface Throwing {
        void declared() throws IOException;

        int undeclared();
    }

    @Test
    void shouldThrowWhatIsThrownDeclaredOrNot() {
        IOException declared = new IOException("declared");
        SQLException undeclared = new SQLException("undeclared");
        Throwing throwing = forwarding(Throwing.class, (method, arguments) -> {
            throw ForwardingClassTest.<RuntimeException>sneaky(
                    method.getName().equals("declared") ? declared : undeclared);
        });

        assertThatThrownBy(throwing::declared).isSameAs(declared);
        assertThatThrownBy(throwing::undeclared).isSameAs(undeclared);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> T sneaky(Throwable thrown) throws T {
        throw (T) thrown;
    }

    interface Above<K> {
        String find(K key);

        default String twice(K key) {
            return find(key) + find(key);
        }
    }

    interface OfLong extends Above<Long> {
        @Override
        String find(Long key);

        static String name() {
            return "static";
        }

        private String hidden() {
            return "private";
        }

        default String shown() {
            return hidden();
        }
    }

    @Test
    void shouldRunMethodsWithABodyOnItself() {
        OfLong forwarding = forwarding(OfLong.class, (method, arguments) -> "<" + arguments[0] + ">");
        Above<Long> erased = forwarding;

        assertThat(forwarding.find(1L)).isEqualTo("<1>");
        assertThat(erased.find(2L)).as("over the bridge").isEqualTo("<2>");
        assertThat(forwarding.twice(3L)).isEqualTo("<3><3>");
        assertThat(forwarding.shown()).isEqualTo("private");
        assertThat(OfLong.name()).isEqualTo("static");
    }

    @Test
    void shouldEqualItselfAloneAndSayWhatItIs() {
        OfLong one = forwarding(OfLong.class, (method, arguments) -> null);
        OfLong other = forwarding(OfLong.class, (method, arguments) -> null);

        assertThat(one).isEqualTo(one).isNotEqualTo(other).hasToString("text of OfLong");
        assertThat(one.hashCode()).isEqualTo(System.identityHashCode(one));
    }

    @Test
    void shouldImplementInterfacesOfClosedPackages() throws Exception {
        Callable<?> callable = forwarding(Callable.class, (method, arguments) -> "called");

        assertThat(callable.call()).isEqualTo("called");
    }

    interface Left {
        String name();

        Object answer();
    }

    interface Right {
        String name();

        String answer();
    }

    interface LeftRight extends Left, Right {}

    @Test
    void shouldImplementWhatTwoInterfacesDeclareOnce() {
        LeftRight both = forwarding(LeftRight.class, (method, arguments) -> method.getName());
        Left left = both;

        assertThat(both.name()).isEqualTo("name");
        assertThat(both.answer()).isEqualTo("answer");
        assertThat(left.answer()).isEqualTo("answer");
    }

    private interface Private {
        String name();
    }

    @Test
    void shouldImplementPrivateInterfaces() {
        assertThat(forwarding(Private.class, (method, arguments) -> "private").name())
                .isEqualTo("private");
    }

    interface Narrow {
        int number();
    }

    @Test
    void shouldFailWhereAnAnswerIsOfAnotherType() {
        assertThatThrownBy(() ->
                        forwarding(Narrow.class, (method, arguments) -> "text").number())
                .isInstanceOf(ClassCastException.class);
        assertThatThrownBy(() ->
                        forwarding(Narrow.class, (method, arguments) -> null).number())
                .isInstanceOf(NullPointerException.class);
    }

    private static <D> D forwarding(Class<D> type, BiFunction<Method, Object[], Object> handler) {
        Map<Method, Function<Object[], Object>> calls = new LinkedHashMap<>();
        Map<String, Integer> seen = new HashMap<>();
        for (Method method : type.getMethods()) {
            if (Modifier.isAbstract(method.getModifiers()) && seen.merge(method.toString(), 1, Integer::sum) == 1) {
                calls.put(method, arguments -> handler.apply(method, arguments));
            }
        }
        return ForwardingClass.instance(type, calls, "text of " + type.getSimpleName());
    }
}
