package io.anneal.dualdao;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.dualdao.config.DualConfig;
import io.anneal.dualdao.config.FallbackPolicy;
import io.anneal.dualdao.config.KeyCodec;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.operation.Conditional;
import io.anneal.dualdao.operation.DaoMethods;
import io.anneal.dualdao.operation.DeclaredDao;
import io.anneal.dualdao.operation.Delete;
import io.anneal.dualdao.operation.Increment;
import io.anneal.dualdao.operation.Key;
import io.anneal.dualdao.operation.Local;
import io.anneal.dualdao.operation.MethodSpec;
import io.anneal.dualdao.operation.NoKey;
import io.anneal.dualdao.operation.OperationKind;
import io.anneal.dualdao.operation.OperationSpec;
import io.anneal.dualdao.operation.Read;
import io.anneal.dualdao.operation.ReturnAdapters;
import io.anneal.dualdao.operation.Write;
import java.io.InputStream;
import java.io.Reader;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class DaoMethodsTest {
    private final List<String> problems = new ArrayList<>();

    record User(long id, String name) {}

    /** Has its key in a field that only a bean's accessor shows. */
    static class Account {
        private final String number;

        Account(String number) {
            this.number = number;
        }

        public String getNumber() {
            return number;
        }
    }

    static final class SavingsAccount extends Account {
        private final long secretId;

        SavingsAccount(String number, long secretId) {
            super(number);
            this.secretId = secretId;
        }

        long reversed() {
            return -secretId;
        }
    }

    interface AnnotatedDao {
        @Read
        User find(@Key long id);

        @Read
        List<User> all();

        @Write
        void save(@Key("id") User user);

        @Write
        void saveAll(@Key("id") List<? extends User> users);

        @Delete
        void delete(@Key Collection<Long> ids);

        @Conditional
        boolean insertIfAbsent(@Key("id") User user);

        @Increment
        void addVisits(@Key long id, int count);

        @Local
        String identity();

        default User orNobody(long id) {
            User user = find(id);
            return user == null ? new User(id, "nobody") : user;
        }

        static AnnotatedDao none() {
            return null;
        }
    }

    @Test
    void shouldMakeOperationsOfAnnotatedMethods() {
        Map<String, OperationSpec<AnnotatedDao, Object[], Object>> operations = operations(AnnotatedDao.class);

        assertThat(problems).isEmpty();
        assertThat(operations)
                .containsOnlyKeys(
                        "find", "all", "save", "saveAll", "delete", "insertIfAbsent", "addVisits", "identity");
        assertThat(operations.get("find").kind()).isEqualTo(OperationKind.READ);
        assertThat(operations.get("save").kind()).isEqualTo(OperationKind.WRITE);
        assertThat(operations.get("delete").kind()).isEqualTo(OperationKind.DELETE);
        assertThat(operations.get("insertIfAbsent").kind()).isEqualTo(OperationKind.CONDITIONAL);
        assertThat(operations.get("addVisits").kind()).isEqualTo(OperationKind.INCREMENT);
        assertThat(operations.get("identity").kind()).isEqualTo(OperationKind.LOCAL);
    }

    @Test
    void shouldFindKeysInParametersAndEntities() {
        Map<String, OperationSpec<AnnotatedDao, Object[], Object>> operations = operations(AnnotatedDao.class);
        User ann = new User(1, "Ann");
        User bob = new User(2, "Bob");

        assertThat(keys(operations.get("find"), 7L)).containsExactly(7L);
        assertThat(keys(operations.get("all"))).isEmpty();
        assertThat(keys(operations.get("save"), ann)).containsExactly(1L);
        assertThat(keys(operations.get("saveAll"), List.of(ann, bob))).containsExactly(1L, 2L);
        assertThat(keys(operations.get("delete"), Set.of(9L))).containsExactly(9L);
        assertThat(keys(operations.get("addVisits"), 3L, 10)).containsExactly(3L);
    }

    @Test
    void shouldCallTheSideGiven() throws Throwable {
        AnnotatedDao side = new AnnotatedDao() {
            @Override
            public User find(long id) {
                return new User(id, "of this side");
            }

            @Override
            public List<User> all() {
                return List.of();
            }

            @Override
            public void save(User user) {}

            @Override
            public void saveAll(List<? extends User> users) {}

            @Override
            public void delete(Collection<Long> ids) {}

            @Override
            public boolean insertIfAbsent(User user) {
                return true;
            }

            @Override
            public void addVisits(long id, int count) {
                DaoMethodsTest.<RuntimeException>sneaky(new java.io.IOException("checked"));
            }

            @Override
            public String identity() {
                return "side";
            }
        };
        Map<String, OperationSpec<AnnotatedDao, Object[], Object>> operations = operations(AnnotatedDao.class);

        assertThat(call(operations, "find", side, 5L)).isEqualTo(new User(5, "of this side"));
        assertThat(call(operations, "insertIfAbsent", side, new User(1, ""))).isEqualTo(true);
        assertThat(call(operations, "save", side, new User(1, ""))).isNull();
        assertThat(call(operations, "identity", side)).isEqualTo("side");
        assertThatThrownBy(() -> call(operations, "addVisits", side, 1L, 2))
                .isExactlyInstanceOf(java.io.IOException.class)
                .hasMessage("checked");
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneaky(Throwable thrown) throws T {
        throw (T) thrown;
    }

    interface CrudDao<E, K> {
        @Write
        void save(@Key("id") E entity);

        @Write
        void saveAll(@Key("id") Iterable<E> entities);

        @Read
        Optional<E> findById(@Key K id);

        @Delete
        void deleteById(@Key K id);
    }

    interface UserDao extends CrudDao<User, Long> {
        @Override
        void deleteById(Long id);

        @Override
        Optional<User> findById(Long id);
    }

    @Test
    void shouldTakeAnnotationsAndTypesFromAGenericInterfaceAbove() {
        Map<String, OperationSpec<UserDao, Object[], Object>> operations = operations(UserDao.class);

        assertThat(problems).isEmpty();
        assertThat(operations).containsOnlyKeys("save", "saveAll", "findById", "deleteById");
        assertThat(keys(operations.get("save"), new User(4, "Dee"))).containsExactly(4L);
        assertThat(keys(operations.get("saveAll"), List.of(new User(4, "Dee"), new User(5, "Eve"))))
                .containsExactly(4L, 5L);
        assertThat(operations.get("deleteById").kind()).isEqualTo(OperationKind.DELETE);
        assertThat(keys(operations.get("deleteById"), 4L)).containsExactly(4L);
    }

    interface PlainDao {
        Account load(String number);

        void store(Account account);

        void storeAll(Account... accounts);

        void storeMap(Map<String, SavingsAccount> byName);

        void close(long tenant, String number);

        default void touch(String number) {
            store(load(number));
        }
    }

    @Test
    void shouldTakeTheBuildersWordForAnInterfaceWithoutAnnotations() {
        Map<String, OperationSpec<PlainDao, Object[], Object>> operations = operations(PlainDao.class, draft -> {
            draft.keyOf.put(Account.class, account -> ((Account) account).getNumber());
            method(draft, "load", m -> m.read().key(0));
            method(draft, "store", m -> m.write());
            method(draft, "storeAll", m -> m.write().name("storeMany"));
            method(draft, "storeMap", m -> m.write());
            method(draft, "close", m -> m.delete().keys(arguments -> List.of(arguments[0] + "/" + arguments[1])));
        });

        assertThat(problems).isEmpty();
        assertThat(operations).containsOnlyKeys("load", "store", "storeMany", "storeMap", "close");
        assertThat(keys(operations.get("load"), "n1")).containsExactly("n1");
        assertThat(keys(operations.get("store"), new SavingsAccount("n2", 1))).containsExactly("n2");
        assertThat(keys(operations.get("storeMany"), (Object) new Account[] {new Account("a"), new Account("b")}))
                .containsExactly("a", "b");
        assertThat(keys(operations.get("storeMap"), Map.of("x", new SavingsAccount("n3", 1))))
                .containsExactly("n3");
        assertThat(keys(operations.get("close"), 8L, "n4")).containsExactly("8/n4");
    }

    @Test
    void shouldPreferTheBuildersWordToAnnotations() {
        Map<String, OperationSpec<AnnotatedDao, Object[], Object>> operations = operations(
                AnnotatedDao.class,
                draft -> method(draft, "addVisits", m -> m.write().<Object>key(1, count -> "count-" + count)));

        assertThat(problems).isEmpty();
        assertThat(operations.get("addVisits").kind()).isEqualTo(OperationKind.WRITE);
        assertThat(keys(operations.get("addVisits"), 3L, 10)).containsExactly("count-10");
    }

    interface KeysDao {
        @Read
        Object byBean(@Key("number") Account account);

        @Read
        Object byField(@Key("secretId") SavingsAccount account);

        @Read
        Object byAccessor(@Key("reversed") SavingsAccount account);

        @Read
        Object byMap(@Key Map<String, Integer> amounts);

        @Read
        Object byNumbers(@Key long... ids);
    }

    @Test
    void shouldReadAKeyOffAccessorsFieldsMapsAndArrays() {
        Map<String, OperationSpec<KeysDao, Object[], Object>> operations = operations(KeysDao.class);
        SavingsAccount account = new SavingsAccount("n", 12);

        assertThat(problems).isEmpty();
        assertThat(keys(operations.get("byBean"), account)).containsExactly("n");
        assertThat(keys(operations.get("byField"), account)).containsExactly(12L);
        assertThat(keys(operations.get("byAccessor"), account)).containsExactly(-12L);
        assertThat(keys(operations.get("byMap"), Map.of("k", 1))).containsExactly("k");
        assertThat(keys(operations.get("byNumbers"), (Object) new long[] {3, 1}))
                .containsExactly(3L, 1L);
    }

    @Test
    void shouldRefuseACallWithANullKey() {
        Map<String, OperationSpec<AnnotatedDao, Object[], Object>> operations = operations(AnnotatedDao.class);

        assertThatThrownBy(() -> keys(operations.get("save"), (Object) null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("null key, operation=save; a key that a store makes must be made before the call");
        assertThatThrownBy(() -> keys(operations.get("delete"), (Object) null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("null instead of keys, operation=delete");
        assertThatThrownBy(() -> keys(operations.get("delete"), Arrays.asList(1L, null)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("null key, operation=delete; a key that a store makes must be made before the call");
    }

    interface OverloadedDao {
        @Read
        User find(@Key long id);

        @Read
        User find(@Key String name);
    }

    @Test
    void shouldTellOverloadsApartByTheirParameters() throws NoSuchMethodException {
        Method byName = OverloadedDao.class.getMethod("find", String.class);

        assertThat(operations(OverloadedDao.class)).containsOnlyKeys("find(long)", "find(String)");
        assertThat(operations(
                        OverloadedDao.class,
                        draft -> draft.methodSpecs.add(
                                new DeclaredDao.NamedSpec("find", byName, m -> m.name("findByName")))))
                .containsOnlyKeys("find(long)", "findByName");
        assertThat(problems).isEmpty();
    }

    interface WideDao {
        @Read
        Object find(@Key long id);

        @Delete
        void delete(@Key long id);
    }

    interface NarrowDao {
        User find(long id);

        void delete(long id);
    }

    interface BothDao extends WideDao, NarrowDao {
        @Override
        User find(long id);
    }

    @Test
    void shouldMakeOneOperationOfWhatTwoInterfacesDeclare() {
        assertThat(operations(BothDao.class)).containsOnlyKeys("find", "delete");
        assertThat(problems).isEmpty();
    }

    interface UnclassifiedDao {
        User findUser(long id);

        void removeUser(long id);

        void saveUser(User user);

        boolean putIfAbsent(User user);

        void incrementVisits(long id);

        void close();
    }

    @Test
    void shouldSayOfEachUnclassifiedMethodWhatToWrite() {
        operations(UnclassifiedDao.class);

        assertThat(problems)
                .containsExactly(
                        "close(): nobody says what it does; annotate it, @Local by its name, or say .method(\"close\", m -> m.local())",
                        "findUser(long): nobody says what it does; annotate it, @Read by its name, or say .method(\"findUser\", m -> m.read().key(0))",
                        "incrementVisits(long): nobody says what it does; annotate it, @Increment by its name, or say .method(\"incrementVisits\", m -> m.increment().key(0))",
                        "putIfAbsent(User): nobody says what it does; annotate it, @Conditional by its name, or say .method(\"putIfAbsent\", m -> m.conditional().key(0, \"id\"))",
                        "removeUser(long): nobody says what it does; annotate it, @Delete by its name, or say .method(\"removeUser\", m -> m.delete().key(0))",
                        "saveUser(User): nobody says what it does; annotate it, @Write by its name, or say .method(\"saveUser\", m -> m.write().key(0, \"id\"))");
    }

    static final class Nameless {}

    interface BadDao {
        @Read
        @Write
        User both(@Key long id);

        @Write
        void keyless(User user);

        @Write
        void twoKeys(@Key long tenant, @Key long id);

        @Read
        User noProperty(@Key("uuid") User user);

        @Read
        User unknownEntity(@Key("id") Object anything);

        @Read
        User hidden(@Key("coder") String text);

        @Read
        User nameless(@Key Nameless key);

        @Read
        User bytes(@Key byte[] key);

        @Read
        long count(@Key long id);

        @Read
        void nothing(@Key long id);

        @Read
        Future<User> future(@Key long id);

        @Read
        Stream<User> stream(@Key long id);

        @Read
        Iterator<User> iterator(@Key long id);
    }

    @Test
    void shouldNameEveryProblemOfAMethod() {
        operations(BadDao.class);

        assertThat(problems)
                .containsExactlyInAnyOrder(
                        "both(long): several kinds, kinds=[READ, WRITE]; leave one annotation",
                        "keyless(User): no key; put @Key on the parameter that has it, or say .method(\"keyless\", m -> m.key(0, \"id\")); @NoKey or m.noKey() if it is about no key in particular",
                        "twoKeys(long, long): the key may be in several parameters; say .method(\"twoKeys\", m -> m.keys(arguments -> ...)) whether they are keys of their own or one together",
                        "noProperty(User): no such accessor or field, property=uuid, type=" + User.class.getName(),
                        "unknownEntity(Object): what has the property is not known from the type, property=id; say .keyOf(Entity.class, ...)",
                        "hidden(String): the module keeps it to itself, property=coder, type=java.lang.String; say .keyOf(String.class, ...)",
                        "nameless(Nameless): keys of that type have no text of their own, type="
                                + Nameless.class.getName()
                                + "; say .keyOf(Nameless.class, ...) if it has the key, or give .copy(codec, ...)",
                        "bytes(byte[]): keys of that type have no text of their own, type=byte[]; say .keyOf(byte[].class, ...) if it has the key, or give .copy(codec, ...)",
                        "count(long): a long doesn't say whether anything was found; say .method(\"count\", m -> m.missing(answer -> false)), or which answers mean that nothing was",
                        "nothing(long): a read that answers nothing; say what it does, .method(\"nothing\", m -> m.local())",
                        "future(long): its answer comes later by a type that nobody knows, type=java.util.concurrent.Future; give .returns(adapter) for it",
                        "stream(long): its answer can be looked at but once; return a collection, or say how with missing(...) and compare(...)",
                        "iterator(long): its answer can be looked at but once; return a collection, or say how with missing(...) and compare(...)");
    }

    interface KeylessDao {
        @Read
        @NoKey
        List<User> livingIn(String city);

        @Write
        @NoKey
        void saveBoth(User one, @Key("id") User other);
    }

    @Test
    void shouldTakeAMethodForKeylessThatIsAnnotatedSo() {
        Map<String, OperationSpec<KeylessDao, Object[], Object>> operations = operations(KeylessDao.class);

        assertThat(operations.get("livingIn").keys().apply(new Object[] {"Bern"}))
                .isEqualTo(List.of());
        assertThat(problems).containsExactly("saveBoth(User, User): @Key and @NoKey; leave one of them");
    }

    @Test
    void shouldRefuseWordsThatFitNoMethodOrParameter() {
        operations(AnnotatedDao.class, draft -> {
            method(draft, "findd", m -> m.read().key(0));
            method(draft, "find", m -> m.key(1));
            method(draft, "orNobody", m -> m.key(0));
            method(draft, "addVisits", m -> m.noKey());
        });

        assertThat(problems)
                .containsExactlyInAnyOrder(
                        ".method(\"findd\", ...): no such method in " + AnnotatedDao.class.getName(),
                        "find(long): no such parameter, parameter=1, parameters=1",
                        "orNobody(long): nobody says what it does, nor does its name; annotate it, @Read, @Write, @Delete, @Conditional or @Increment",
                        "addVisits(long, int): without a key its result can't be copied to the other side; say .key(...)");
    }

    interface OddlyNamedDao {
        User settle(long id);

        List<User> findByFirstNameAndLastName(String first, String last);

        User getIfPresent(long id);

        User getAndRemove(long id);

        User findOrCreate(long id);

        void issue(long id);

        void get(long id);

        User addressOf(long id);

        void putative(User user);
    }

    @Test
    void shouldGuessByWholeWordsAndNeverAReadOfWhatItDoesNotKnow() {
        operations(OddlyNamedDao.class);

        String unknown =
                ": nobody says what it does, nor does its name; annotate it, @Read, @Write, @Delete, @Conditional or @Increment";
        assertThat(problems)
                .containsExactlyInAnyOrder(
                        "settle(long)" + unknown,
                        "findByFirstNameAndLastName(String, String): nobody says what it does; annotate it, @Read by its name, or say .method(\"findByFirstNameAndLastName\", m -> m.read().noKey())",
                        "getIfPresent(long): nobody says what it does; annotate it, @Read by its name, or say .method(\"getIfPresent\", m -> m.read().key(0))",
                        "getAndRemove(long): nobody says what it does; annotate it, @Conditional by its name, or say .method(\"getAndRemove\", m -> m.conditional().key(0))",
                        "findOrCreate(long): nobody says what it does; annotate it, @Conditional by its name, or say .method(\"findOrCreate\", m -> m.conditional().key(0))",
                        "issue(long)" + unknown,
                        "get(long)" + unknown,
                        "addressOf(long)" + unknown,
                        "putative(User)" + unknown);
    }

    interface CodedDao {
        @Read
        User byNumber(@Key int number);

        @Read
        User byEntity(@Key User user);

        @Write
        void byProperty(@Key("name") User user);

        @Read
        User right(@Key long id);

        @Read
        User all(@Key Collection<Long> ids);

        @Read
        User anything(@Key Object id);
    }

    @Test
    void shouldRefuseKeysThatTheCodecIsNotFor() {
        operations(CodedDao.class, draft -> draft.keyCodec = codec());

        assertThat(problems)
                .containsExactlyInAnyOrder(
                        "byNumber(int): its key is a int, the codec of .copy(...) is for java.lang.Long; give a codec for it",
                        "byEntity(User): its key is a " + User.class.getName()
                                + ", the codec of .copy(...) is for java.lang.Long; say .method(\"byEntity\", m -> m.key(0, \"id\"))",
                        "byProperty(User): its key is a java.lang.String, the codec of .copy(...) is for java.lang.Long; say"
                                + " .method(\"byProperty\", m -> m.key(0, \"id\"))");
        assertThatThrownBy(() -> codec().textOf(7))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a key is not of the type that the codec is for, key=7, type=java.lang.Integer,"
                        + " codec=java.lang.Long");
    }

    @SuppressWarnings("unchecked")
    private static KeyCodec<Object> codec() {
        return (KeyCodec<Object>) (KeyCodec<?>) KeyCodec.LONG;
    }

    interface OnceDao {
        @Write
        void upload(@Key long id, InputStream content);

        @Read
        User find(@Key long id, Iterator<String> fields);

        @Write
        void saveAll(@Key long id, Stream<User> users);

        @Write
        void text(@Key long id, Reader text);

        @Conditional
        boolean swap(@Key long id, InputStream content);

        @Local
        void restore(InputStream dump);

        @Write
        void put(@Key long id, ByteBuffer value);
    }

    @Test
    void shouldRefuseArgumentsThatCanBeReadButOnce() {
        operations(OnceDao.class);

        String fix = "; take what it holds, as byte[], String or List";
        String once = ": an argument that can be read but once, and two sides read it, parameter=1, type=";
        assertThat(problems)
                .containsExactlyInAnyOrder(
                        "upload(long, InputStream)" + once + "java.io.InputStream" + fix,
                        "find(long, Iterator)" + once + "java.util.Iterator" + fix,
                        "saveAll(long, Stream)" + once + "java.util.stream.Stream" + fix,
                        "text(long, Reader)" + once + "java.io.Reader" + fix);
    }

    interface BufferDao {
        @Write
        void put(@Key long id, ByteBuffer value);
    }

    @Test
    void shouldGiveEachSideABufferOfItsOwn() throws Throwable {
        List<Integer> read = new ArrayList<>();
        BufferDao side = (id, value) -> {
            while (value.hasRemaining()) {
                read.add((int) value.getShort());
            }
        };
        ByteBuffer value = ByteBuffer.allocate(5).order(ByteOrder.LITTLE_ENDIAN);
        value.put((byte) 9).putShort((short) 1).putShort((short) 2).flip().get();

        call(operations(BufferDao.class), "put", side, 1L, value);
        call(operations(BufferDao.class), "put", side, 1L, value);

        assertThat(read).containsExactly(1, 2, 1, 2);
    }

    interface BufferKeyDao {
        @Read
        User find(@Key ByteBuffer id);
    }

    @Test
    void shouldRefuseABufferAsAKeyWithoutACodec() {
        operations(BufferKeyDao.class);

        assertThat(problems).singleElement().asString().contains("keys of that type have no text of their own");
    }

    interface GeneratedDao {
        long create(String name);

        User enrol(User user);

        int insertUser(String name);

        CompletionStage<Long> later(String name);

        int updateAll(String name);

        void clean();

        boolean any();

        CompletionStage<Void> nothing();
    }

    @Test
    void shouldRefuseAWriteThatMayAnswerAnIdThatItsStoreMade() {
        operations(GeneratedDao.class, draft -> {
            for (Method method : GeneratedDao.class.getMethods()) {
                method(draft, method.getName(), m -> m.write().noKey());
            }
        });

        assertThat(problems)
                .hasSize(4)
                .contains(
                        "create(String): a write about no key answers what may be an id that the store made, type=long;"
                                + " each side would make its own: make the id before, take it as an argument, and say .key(...)")
                .anyMatch(problem -> problem.startsWith("enrol(User)"))
                .anyMatch(problem -> problem.startsWith("insertUser(String)"))
                .anyMatch(problem -> problem.startsWith("later(String)") && problem.contains("type=java.lang.Long"));
    }

    interface TwoEntitiesDao {
        @Write
        void transfer(User from, User to);
    }

    @Test
    void shouldAskWhichKeyIsMeantWhereTwoParametersHaveOne() {
        operations(TwoEntitiesDao.class, draft -> draft.keyOf.put(User.class, user -> ((User) user).id()));

        assertThat(problems).singleElement().asString().contains("the key may be in several parameters");
    }

    interface CountingDao {
        @Read
        int count(@Key long id);
    }

    @Test
    void shouldTakeAPrimitiveAnswerWhereNothingFallsBackOrMissingIsTold() {
        operations(CountingDao.class, draft -> draft.fallback = FallbackPolicy.NEVER);
        operations(CountingDao.class, draft -> draft.mode = Mode.TEST);
        Map<String, OperationSpec<CountingDao, Object[], Object>> told = operations(
                CountingDao.class, draft -> method(draft, "count", m -> m.missing(answer -> (int) answer == 0)));

        assertThat(problems).isEmpty();
        assertThat(told.get("count").missing().test(0)).isTrue();
        assertThat(told.get("count").missing().test(1)).isFalse();
        assertThat(told.get("count").missing().test(null))
                .as("null is nothing without asking")
                .isTrue();
    }

    interface BatchDao {
        @Read
        Map<Long, User> byIds(@Key Collection<Long> ids);

        @Read
        CompletionStage<Map<Long, User>> laterByIds(@Key Set<Long> ids);

        @Read
        CompletableFuture<List<User>> listByIds(@Key List<Long> ids);

        @Read
        Set<User> setByIds(@Key long[] ids);

        @Read
        List<String> namesByIds(@Key List<Long> ids);

        @Read
        Map<String, String> attributes(@Key long id);

        @Read
        java.util.SortedMap<Long, User> sorted(@Key List<Long> ids);

        @Read
        Map<Long, User> byQueue(@Key java.util.Queue<Long> ids);
    }

    @Test
    void shouldTakeApartReadsOfManyKeysWhereTheAnswerSaysWhatItHas() {
        Map<String, OperationSpec<BatchDao, Object[], Object>> operations =
                operations(BatchDao.class, draft -> draft.keyOf.put(User.class, user -> ((User) user).id()));
        assertThat(problems).isEmpty();
        User ann = new User(1, "Ann");
        User bob = new User(2, "Bob");
        Map<Long, User> some = new LinkedHashMap<>();
        some.put(1L, ann);
        some.put(3L, null);

        OperationSpec.BatchSplit<Object[]> maps = operations.get("byIds").batch();
        Object[] asked = {List.of(1L, 2L, 3L)};
        assertThat(maps.missingKeys().apply(asked, some)).isEqualTo(Set.of(2L, 3L));
        assertThat(maps.missingKeys().apply(asked, null)).isEqualTo(Set.of(1L, 2L, 3L));
        assertThat(maps.forKeys().apply(asked, List.of(2L, 3L))[0]).isEqualTo(List.of(2L, 3L));
        assertThat(maps.united().apply(Map.of(1L, ann), Map.of(2L, bob))).isEqualTo(Map.of(1L, ann, 2L, bob));
        assertThat(maps.united().apply(null, null)).isEqualTo(Map.of());

        assertThat(operations.get("laterByIds").batch().forKeys().apply(new Object[] {Set.of(1L, 2L)}, List.of(2L))[0])
                .isEqualTo(Set.of(2L));

        OperationSpec.BatchSplit<Object[]> lists = operations.get("listByIds").batch();
        assertThat(lists.missingKeys().apply(asked, List.of(bob))).isEqualTo(Set.of(1L, 3L));
        assertThat(lists.united().apply(List.of(bob), List.of(ann))).isEqualTo(List.of(bob, ann));
        assertThat(lists.united().apply(Arrays.asList(null, bob, null), Arrays.asList(ann, null)))
                .as("a list with nulls keeps its places")
                .isEqualTo(Arrays.asList(ann, bob, null));

        OperationSpec.BatchSplit<Object[]> sets = operations.get("setByIds").batch();
        assertThat(sets.forKeys().apply(new Object[] {new long[] {1, 2}}, List.of(2L))[0])
                .isEqualTo(new long[] {2});
        assertThat(sets.united().apply(Set.of(ann), null)).isEqualTo(Set.of(ann));
    }

    @Test
    void shouldLeaveReadsWholeThatCannotBeTakenApart() {
        Map<String, OperationSpec<BatchDao, Object[], Object>> operations = operations(BatchDao.class);

        assertThat(operations.get("namesByIds").batch()).isNull();
        assertThat(operations.get("attributes").batch()).isNull();
        assertThat(operations.get("sorted").batch()).isNull();
        assertThat(operations.get("byQueue").batch()).isNull();
        assertThat(operations.get("listByIds").batch())
                .as("nobody says what the key of a user is")
                .isNull();
    }

    @Test
    void shouldKnowTheReturnAdapterOfEachMethod() {
        Map<String, OperationSpec<BatchDao, Object[], Object>> operations = operations(BatchDao.class);

        assertThat(operations.get("byIds").returns()).isNull();
        assertThat(operations.get("laterByIds").returns().type()).isEqualTo(CompletionStage.class);
        assertThat(operations.get("listByIds").returns().type()).isEqualTo(CompletableFuture.class);
    }

    private <D> Map<String, OperationSpec<D, Object[], Object>> operations(Class<D> type) {
        return operations(type, draft -> {});
    }

    private <D> Map<String, OperationSpec<D, Object[], Object>> operations(
            Class<D> type, Consumer<DualConfig<D>> words) {
        DualConfig<D> draft = new DualConfig<>(type, true);
        draft.mode = Mode.MIGRATION;
        words.accept(draft);
        ReturnAdapters returns = new ReturnAdapters(List.of(), type.getClassLoader());
        Map<String, OperationSpec<D, Object[], Object>> byName = new LinkedHashMap<>();
        new DaoMethods<>(draft.declared(), returns, problems::add)
                .operations()
                .forEach((method, operation) -> byName.put(operation.name(), operation));
        return byName;
    }

    private static <D> void method(DualConfig<D> draft, String name, Consumer<MethodSpec> spec) {
        draft.methodSpecs.add(new DeclaredDao.NamedSpec(name, null, spec));
    }

    private static <D> List<Object> keys(OperationSpec<D, Object[], Object> operation, Object... arguments) {
        return new ArrayList<>(operation.keys().apply(arguments));
    }

    private static <D> Object call(
            Map<String, OperationSpec<D, Object[], Object>> operations, String name, D side, Object... arguments)
            throws Throwable {
        return operations.get(name).invoker().call(side, arguments);
    }
}
