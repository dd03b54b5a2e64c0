package io.anneal.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class MailboxTest {
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final List<List<Integer>> received = new ArrayList<>();

    private void runAll() {
        while (!tasks.isEmpty()) {
            tasks.poll().run();
        }
    }

    @Test
    void shouldHandOverAtOnceWhatHasComeMeanwhile() {
        Mailbox<Integer> mailbox = new Mailbox<>(tasks::add, messages -> received.add(List.copyOf(messages)));
        mailbox.send(1);
        mailbox.send(2);
        assertThat(tasks).hasSize(1);
        runAll();
        mailbox.send(3);
        runAll();
        assertThat(received).containsExactly(List.of(1, 2), List.of(3));
    }

    @Test
    void shouldTakeUpWhatIsSentWhileItReceives() {
        List<Mailbox<Integer>> self = new ArrayList<>();
        Mailbox<Integer> mailbox = new Mailbox<>(tasks::add, messages -> {
            received.add(List.copyOf(messages));
            if (messages.contains(1)) {
                self.get(0).send(2);
            }
        });
        self.add(mailbox);
        mailbox.send(1);
        runAll();
        assertThat(received).containsExactly(List.of(1), List.of(2));
    }

    @Test
    void shouldWaitUntilAsManyHaveComeAsTheLastTime() throws InterruptedException {
        Mailbox<Integer> mailbox =
                new Mailbox<>(tasks::add, messages -> received.add(List.copyOf(messages)), Integer.MAX_VALUE);
        mailbox.send(1);
        mailbox.send(2);
        mailbox.send(3);
        runAll();
        mailbox.send(4);
        Thread others = new Thread(() -> List.of(5, 6).forEach(mailbox::send));
        others.start();
        runAll();
        others.join();
        assertThat(received).containsExactly(List.of(1, 2, 3), List.of(4, 5, 6));
    }

    @Test
    void shouldNotWaitLongForThoseWhoStayAway() {
        Mailbox<Integer> mailbox = new Mailbox<>(tasks::add, messages -> received.add(List.copyOf(messages)), 10);
        mailbox.send(1);
        mailbox.send(2);
        runAll();
        mailbox.send(3);
        runAll();
        assertThat(received).containsExactly(List.of(1, 2), List.of(3));
    }

    @Test
    void shouldLetNobodyWaitWhoComesAlone() {
        Mailbox<Integer> mailbox =
                new Mailbox<>(tasks::add, messages -> received.add(List.copyOf(messages)), Integer.MAX_VALUE);
        for (int i = 1; i <= 3; i++) {
            mailbox.send(i);
            runAll();
        }
        assertThat(received).containsExactly(List.of(1), List.of(2), List.of(3));
    }

    @Test
    void shouldReceiveOnTheSendersThreadWhenNobodyIsAtIt() {
        Mailbox<Integer> mailbox = new Mailbox<>(tasks::add, messages -> received.add(List.copyOf(messages)));
        mailbox.sendHere(1);
        assertThat(received).containsExactly(List.of(1));
        assertThat(tasks).isEmpty();
    }

    @Test
    void shouldLeaveToItsThreadWhatIsSentHereWhileThatIsAtIt() {
        List<Mailbox<Integer>> self = new ArrayList<>();
        Mailbox<Integer> mailbox = new Mailbox<>(tasks::add, messages -> {
            received.add(List.copyOf(messages));
            if (messages.contains(1)) {
                self.get(0).sendHere(2);
                assertThat(received).containsExactly(List.of(1));
            }
        });
        self.add(mailbox);
        mailbox.send(1);
        runAll();
        assertThat(received).containsExactly(List.of(1), List.of(2));
    }

    @Test
    void shouldKnowItsOwnThreads() {
        List<Boolean> seen = new ArrayList<>();
        Mailbox<Integer> mailbox = new Mailbox<>(tasks::add, messages -> seen.add(Mailbox.isReceiving()));
        mailbox.send(1);
        runAll();
        assertThat(seen).containsExactly(true);
        assertThat(Mailbox.isReceiving()).isFalse();
    }

    @Test
    void shouldLoseNothingAndKeepEachSendersOrder() throws InterruptedException {
        int senders = 4;
        int each = 20_000;
        ExecutorService executor = Executors.newSingleThreadExecutor();
        List<int[]> got = new ArrayList<>();
        CountDownLatch all = new CountDownLatch(senders * each);
        Mailbox<int[]> mailbox = new Mailbox<>(
                executor,
                messages -> messages.forEach(message -> {
                    got.add(message);
                    all.countDown();
                }));
        List<Thread> threads = IntStream.range(0, senders)
                .mapToObj(sender -> new Thread(() ->
                        IntStream.range(0, each).forEach(number -> mailbox.send(new int[] {sender, number}))))
                .toList();
        threads.forEach(Thread::start);
        assertThat(all.await(60, TimeUnit.SECONDS)).isTrue();
        executor.shutdown();
        assertThat(executor.awaitTermination(60, TimeUnit.SECONDS)).isTrue();

        int[] next = new int[senders];
        for (int[] message : got) {
            assertThat(message[1]).isEqualTo(next[message[0]]++);
        }
        assertThat(next).containsOnly(each);
    }
}
