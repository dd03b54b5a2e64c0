package io.anneal.cli.store;

import io.anneal.cli.command.ErrorReport;
import java.util.Optional;

/**
 * What a check found of one thing.
 *
 * @param subject the file or directory
 * @param what in words, of what is right or worth a note
 * @param reason of what is wrong
 */
record StoreFinding(Verdict verdict, String subject, String what, Optional<ErrorReport> reason) {
    enum Verdict {
        OK("ok   "),
        /** Nothing to worry about: the next start tidies it up, or it is no part of the store. */
        NOTE("note "),
        WRONG("wrong");

        private final String text;

        Verdict(String text) {
            this.text = text;
        }
    }

    static StoreFinding ok(Object subject, String what) {
        return new StoreFinding(Verdict.OK, subject.toString(), what, Optional.empty());
    }

    static StoreFinding note(Object subject, String what) {
        return new StoreFinding(Verdict.NOTE, subject.toString(), what, Optional.empty());
    }

    static StoreFinding wrong(Object subject, Throwable failure) {
        return new StoreFinding(Verdict.WRONG, subject.toString(), "", Optional.of(ErrorReport.of(failure)));
    }

    String line() {
        return verdict.text + " " + subject + ": "
                + reason.map(r -> r.code() + ": " + r.message()).orElse(what);
    }
}
