package io.anneal.faults;

import io.anneal.dualdao.operation.Conditional;
import io.anneal.dualdao.operation.Delete;
import io.anneal.dualdao.operation.Increment;
import io.anneal.dualdao.operation.Key;
import io.anneal.dualdao.operation.NoKey;
import io.anneal.dualdao.operation.Read;
import io.anneal.dualdao.operation.Write;
import java.util.List;

/** The DAO of a service as there are many: rows by an id that the caller makes, lists by another column, deletions by a mark. */
interface UserDao {
    /** The user; null if there is none, or one that is marked as deleted. */
    @Read
    User find(@Key long id);

    /** All users of a city that are not marked as deleted. */
    @Read
    @NoKey
    List<User> findByCity(String city);

    /** Sets a user's name, city and mark, be there one or not; leaves the visits. */
    @Write
    void save(@Key("id") User user);

    /** Takes a user away; the id is not used again. */
    @Delete
    void remove(@Key long id);

    /** Gives a user another name who has this one and is not marked as deleted; whether there was one. */
    @Conditional
    boolean rename(@Key long id, String from, String to);

    /** Counts a visit of a user, deleted or not; whether there is one. */
    @Increment
    boolean visit(@Key long id);
}
