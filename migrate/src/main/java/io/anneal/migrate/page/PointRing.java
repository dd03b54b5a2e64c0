package io.anneal.migrate.page;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The last points, each with a number that goes on from 0, so that a reader gets those it lacks. Not for several threads. */
final class PointRing {
    private final int pointsMax;
    private final ArrayDeque<Point> points = new ArrayDeque<>();

    private long nextNumber;

    PointRing(int pointsMax) {
        this.pointsMax = pointsMax;
    }

    void add(Point point) {
        if (points.size() == pointsMax) {
            points.removeFirst();
        }
        points.addLast(point);
        nextNumber++;
    }

    /** The number that the next point gets. */
    long nextNumber() {
        return nextNumber;
    }

    /** From that number on, or from the oldest that is left; oldest first. */
    List<Point> from(long number) {
        long lacking = Math.max(0, nextNumber - number);
        List<Point> found = new ArrayList<>();
        long skipped = Math.max(0, points.size() - lacking);
        for (Point point : points) {
            if (skipped-- <= 0) {
                found.add(point);
            }
        }
        return found;
    }
}
