package io.anneal.net;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A secret that both sides hold and neither sends. It only leaves as HMAC-SHA256 over what was said in one handshake.
 */
public final class SharedToken {
    static final int PROOF_LENGTH_BYTES = 32;

    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;

    private SharedToken(SecretKeySpec key) {
        this.key = key;
    }

    /** @param bytes copied; at least 16 of them, since a proof of a short token can be guessed offline */
    public static SharedToken of(byte[] bytes) {
        if (bytes.length < TokenFile.TOKEN_BYTES_MIN) {
            throw new IllegalArgumentException(
                    "token is too short, lengthBytes=" + bytes.length + ", min=" + TokenFile.TOKEN_BYTES_MIN);
        }
        return new SharedToken(new SecretKeySpec(bytes, ALGORITHM));
    }

    /** The lengths are part of the message, so no two lists of parts share a proof. */
    byte[] proof(byte[]... parts) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            for (byte[] part : parts) {
                mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, part.length));
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException absent) {
            throw new IllegalStateException("every Java platform has " + ALGORITHM, absent);
        }
    }

    @Override
    public String toString() {
        return "SharedToken";
    }
}
