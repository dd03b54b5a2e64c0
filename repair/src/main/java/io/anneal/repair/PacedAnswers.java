package io.anneal.repair;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Questions to replicas whose answers come in the order of the questions: asked at once as long as all that is under way
 * fits a bound, else one after the other. So little waits for nothing, and much does not need the memory for all of it
 * at once. Belongs to one thread.
 */
final class PacedAnswers<T> {
    private record Question<T>(long bytes, Supplier<CompletableFuture<T>> ask) {}

    private record Asked<T>(long bytes, CompletableFuture<T> answer) {}

    private final long bytesMax;
    private final RepairMeter meter;
    private final Deque<Question<T>> questions = new ArrayDeque<>();
    private final Deque<Asked<T>> underWay = new ArrayDeque<>();
    private long underWayBytes;

    PacedAnswers(long bytesMax, RepairMeter meter) {
        this.bytesMax = bytesMax;
        this.meter = meter;
    }

    /** @param bytes that question and answer have at most, about */
    void add(long bytes, Supplier<CompletableFuture<T>> ask) {
        questions.add(new Question<>(bytes, ask));
    }

    /** Waits for the answer to the first question that is open. */
    T next() throws IOException {
        while (!questions.isEmpty() && (underWay.isEmpty() || underWayBytes + questions.peek().bytes <= bytesMax)) {
            Question<T> question = questions.remove();
            underWayBytes += question.bytes;
            underWay.add(new Asked<>(question.bytes, question.ask.get()));
        }
        Asked<T> first = underWay.remove();
        T answer = meter.await(first.answer);
        underWayBytes -= first.bytes;
        return answer;
    }
}
