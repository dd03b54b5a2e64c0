package io.anneal.repair;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * A replica that answers nothing before its master waits for an answer, and then all that it was asked: as behind a link that
 * takes its time. Counts the questions, and how often the master waits. One thread.
 */
final class DelayedReplica {
    private final Deque<Runnable> asked = new ArrayDeque<>();
    private final LocalParticipant replica;
    private int questions;
    private int roundTrips;

    DelayedReplica(TestTable table) {
        replica = new LocalParticipant(table.name(), table.opener(), asked::add);
    }

    int roundTrips() {
        return roundTrips;
    }

    int questions() {
        return questions;
    }

    Participant participant() {
        return (Participant) Proxy.newProxyInstance(
                Participant.class.getClassLoader(), new Class<?>[] {Participant.class}, (proxy, method, arguments) -> {
                    try {
                        Object answer = method.invoke(replica, arguments);
                        if (!(answer instanceof CompletableFuture<?> future)) {
                            return answer;
                        }
                        questions++;
                        return delayed(future);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    } finally {
                        if (method.getName().equals("close")) {
                            answerAll();
                        }
                    }
                });
    }

    private <T> CompletableFuture<T> delayed(CompletableFuture<T> answer) {
        CompletableFuture<T> delayed = new Delayed<>();
        answer.whenComplete((result, failure) -> {
            if (failure == null) {
                delayed.complete(result);
            } else {
                delayed.completeExceptionally(failure);
            }
        });
        return delayed;
    }

    private void answerAll() {
        while (!asked.isEmpty()) {
            asked.remove().run();
        }
    }

    private final class Delayed<T> extends CompletableFuture<T> {
        @Override
        public <U> CompletableFuture<U> newIncompleteFuture() {
            return new Delayed<>();
        }

        @Override
        public T get() throws InterruptedException, ExecutionException {
            if (!isDone()) {
                roundTrips++;
                answerAll();
            }
            return super.get();
        }
    }
}
