package io.anneal.migrate.page;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * Who knows it may change the phase. The one place that draws randomness nobody hands in: a token that a seed repeats would keep
 * nobody out.
 */
final class PageToken {
    private static final int RANDOM_BYTES = 24;

    private final byte[] expected;

    PageToken(String token) {
        this.expected = token.getBytes(StandardCharsets.UTF_8);
    }

    static String random() {
        byte[] bytes = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Takes as long for a wrong token as for a right one, so that it can't be guessed character by character. */
    boolean matches(String given) {
        return MessageDigest.isEqual(expected, given.getBytes(StandardCharsets.UTF_8));
    }
}
