package io.anneal.migrate.page;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.dualdao.control.GateException;
import io.anneal.dualdao.control.GivenText;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.control.RollbackPlan;
import io.anneal.dualdao.phase.PhaseChangedException;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.javalin.http.Context;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What the page's buttons do. Each request says which version of the record its sender saw, so that nobody changes a phase other
 * than the one that they looked at. Any thread may call.
 */
final class PageActions {
    private static final int BAD_REQUEST = 400;
    private static final int CONFLICT = 409;
    private static final int TOO_LARGE = 413;
    private static final int UNAVAILABLE = 503;
    private static final int BODY_BYTES_MAX = 16 << 10;
    private static final int NAME_CHARS_MAX = 80;
    private static final int TEXT_CHARS_MAX = 1_000;
    private static final int PERCENT_MAX = 100;

    /** A request's body; each action says which parts it needs. */
    record Ask(Long version, String who, String why, Integer percent, String instance) {
        String by() {
            return required("who", who, NAME_CHARS_MAX);
        }

        String reason() {
            return required("why", why, TEXT_CHARS_MAX);
        }

        String instanceName() {
            return required("instance", instance, TEXT_CHARS_MAX);
        }

        int share() {
            if (percent == null || percent < 0 || percent > PERCENT_MAX) {
                throw new PageRefusal(BAD_REQUEST, "the share is a number from 0 to 100, percent=" + percent);
            }
            return percent;
        }

        private static String required(String name, String value, int charsMax) {
            if (value == null || value.isBlank() || value.length() > charsMax) {
                throw new PageRefusal(
                        BAD_REQUEST, name + " must be there, and have at most " + charsMax + " characters");
            }
            try {
                return GivenText.require(name, value.strip());
            } catch (IllegalArgumentException e) { // more than a line
                throw new PageRefusal(BAD_REQUEST, e.getMessage());
            }
        }
    }

    private final PhaseControl control;
    private final ObjectMapper json;
    private final Runnable afterChange;
    private final PhaseControl.Sleeper sleeper;

    PageActions(PhaseControl control, ObjectMapper json, Runnable afterChange, PhaseControl.Sleeper sleeper) {
        this.control = control;
        this.json = json;
        this.afterChange = afterChange;
        this.sleeper = sleeper;
    }

    void advance(Context context) {
        Ask ask = ask(context);
        change(context, ask, () -> control.advance(ask.by(), ask.reason()));
    }

    void rollback(Context context) {
        Ask ask = ask(context);
        change(context, ask, () -> {
            RollbackPlan plan = control.rollbackPlan();
            if (plan.refusal().isPresent() || plan.to().isEmpty()) {
                throw new PageRefusal(CONFLICT, plan.refusal().orElse("there is no phase before the first"));
            }
            return control.rollback(ask.by(), ask.reason());
        });
    }

    void share(Context context) {
        Ask ask = ask(context);
        change(context, ask, () -> control.readShare(ask.share(), ask.by(), ask.reason()));
    }

    void note(Context context) {
        Ask ask = ask(context);
        guarded(() -> control.note(ask.by(), ask.reason()));
        done(context, Map.of());
    }

    void declareDead(Context context) {
        Ask ask = ask(context);
        guarded(() -> {
            if (control.instances().stream().noneMatch(each -> each.name().equals(ask.instanceName()))) {
                throw new PageRefusal(CONFLICT, "there is no such instance any more, instance=" + ask.instanceName());
            }
            try {
                control.declareDead(ask.instanceName(), ask.by(), ask.reason(), sleeper);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new PageRefusal(UNAVAILABLE, "the page ends");
            }
            return ask;
        });
        done(context, Map.of());
    }

    /** What a roll-back would do now; changes nothing. */
    void rollbackPlan(Context context) {
        RollbackPlan plan = guarded(control::rollbackPlan);
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("from", plan.from().label());
        plan.to().ifPresent(to -> answer.put("to", to.label()));
        plan.refusal().ifPresent(refusal -> answer.put("refusal", refusal));
        answer.put("keysToCopy", plan.keysToCopy());
        answer.put("whatIsLost", plan.whatIsLost());
        context.json(answer);
    }

    private Ask ask(Context context) {
        String type = context.contentType();
        if (type == null || !type.startsWith("application/json")) {
            throw new PageRefusal(BAD_REQUEST, "the body must be application/json");
        }
        if (context.contentLength() > BODY_BYTES_MAX || context.bodyAsBytes().length > BODY_BYTES_MAX) {
            throw new PageRefusal(TOO_LARGE, "the body is too long, bytesMax=" + BODY_BYTES_MAX);
        }
        try {
            Ask ask = json.readValue(context.bodyAsBytes(), Ask.class);
            if (ask == null) {
                throw new PageRefusal(BAD_REQUEST, "the body is empty");
            }
            ask.by();
            ask.reason();
            return ask;
        } catch (JsonProcessingException e) {
            throw new PageRefusal(BAD_REQUEST, "the body is not what was asked for: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new PageRefusal(BAD_REQUEST, "the body could not be read: " + e.getMessage());
        }
    }

    private void change(Context context, Ask ask, Supplier<PhaseRecord> step) {
        if (ask.version() == null) {
            throw new PageRefusal(BAD_REQUEST, "version must be there: of the record that was looked at");
        }
        PhaseRecord changed = guarded(() -> {
            long inForce = control.current().version();
            if (inForce != ask.version()) {
                throw new PageRefusal(
                        CONFLICT,
                        "somebody changed the phase meanwhile; look again, version=" + inForce + ", seen="
                                + ask.version());
            }
            return step.get();
        });
        done(
                context,
                Map.of("version", changed.version(), "phase", changed.phase().label()));
    }

    private void done(Context context, Map<String, Object> answer) {
        afterChange.run();
        context.json(answer);
    }

    private static <T> T guarded(Supplier<T> step) {
        try {
            return step.get();
        } catch (GateException e) {
            throw new PageRefusal(
                    CONFLICT,
                    "not every condition is met",
                    Map.of("missing", e.readiness().missing()));
        } catch (PhaseChangedException e) {
            throw new PageRefusal(CONFLICT, "somebody changed the phase meanwhile; look again");
        } catch (IllegalStateException | IllegalArgumentException e) {
            throw new PageRefusal(CONFLICT, String.valueOf(e.getMessage()));
        } catch (PhaseStoreException e) {
            throw new PageRefusal(UNAVAILABLE, "the phase store could not be asked: " + e.getMessage());
        }
    }
}
