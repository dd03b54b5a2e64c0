package io.anneal.cli.repair;

import io.anneal.cli.command.RunRefusedException;
import io.anneal.cli.runs.RunRecords;
import java.io.IOException;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Pattern;

/** Reads the id of a repair's run, as its report or {@code --history} prints it. */
final class RunId {
    private static final Pattern WHOLE = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private static final Pattern START = Pattern.compile("[0-9a-f-]{" + RunRecords.PREFIX_LEAST + ",36}");

    private RunId() {}

    /** Whether an id may start so. */
    static boolean isStart(String text) {
        return START.matcher(text.toLowerCase(Locale.ROOT)).matches();
    }

    /**
     * @param text the whole id; or the start of one of a run that is recorded, of eight characters at least
     * @throws RunRefusedException when no recorded run's id starts so, or several do
     */
    static UUID of(String text, RunRecords records) throws IOException {
        String id = text.toLowerCase(Locale.ROOT);
        return WHOLE.matcher(id).matches() ? UUID.fromString(id) : records.id(id);
    }
}
