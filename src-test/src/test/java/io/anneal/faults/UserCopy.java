package io.anneal.faults;

import io.anneal.dualdao.config.KeyCopy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Copies a row from database to database, marks and visits too. The tables keep no times. */
final class UserCopy implements KeyCopy<UserDao, Long> {
    @Override
    public Guarantee guarantee() {
        return Guarantee.NONE;
    }

    @Override
    public CompletionStage<Void> copy(Long id, UserDao from, UserDao to, long takenAwayBeforeMicros) {
        User user = ((JdbcUsers) from).load(id);
        if (user == null) {
            to.remove(id);
        } else {
            ((JdbcUsers) to).store(user);
        }
        return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<User> read(Long id, UserDao dao) {
        return CompletableFuture.completedStage(((JdbcUsers) dao).load(id));
    }
}
