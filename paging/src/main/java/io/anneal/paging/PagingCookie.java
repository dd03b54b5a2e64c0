package io.anneal.paging;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.key.RingPosition;
import io.anneal.paging.query.ReadQuery;
import io.anneal.schema.TableSchema;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32C;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A {@link PagingState} as text for whoever asks for the next page, as base64 that may stand in a URL:
 *
 * <pre>
 * version 1 | flags 1 | query 16 | query id 16 | place | rows vint | concurrency vint | replicas: count vint, each: length vint, name | seal
 * </pre>
 *
 * The query is the start of the SHA-256 of table, table id and everything that is read, so that a cookie fits no other. The seal is a CRC-32C, which
 * finds damage; or with a key an HMAC-SHA-256, which finds forgery, too. Whoever may ask for pages of a query without a key
 * may choose the place where they go on. Safe for any thread.
 */
public final class PagingCookie {
    private static final int VERSION = 1;
    private static final int SIGNED = 1;
    private static final int HEAD_BYTES = 2;
    private static final int DIGEST_BYTES = 16;
    private static final int CRC_BYTES = 4;
    private static final String MAC = "HmacSHA256";
    private static final int MAC_BYTES = 32;
    private static final int KEY_BYTES_MIN = 16;
    private static final int TEXT_MAX = 1 << 20;

    /** More than anybody reads; what is added to it is a number still. */
    private static final long ROWS_MAX = 1L << 62;

    private final TableSchema schema;
    private final ReadQuery query;
    private final byte[] digest;
    private final Optional<SecretKeySpec> key;

    private PagingCookie(TableSchema schema, ReadQuery query, byte[] digest, Optional<SecretKeySpec> key) {
        this.schema = schema;
        this.query = query;
        this.digest = digest;
        this.key = key;
    }

    /** Cookies of a query of a table. */
    public static PagingCookie of(TableSchema schema, ReadQuery query) {
        Objects.requireNonNull(schema, "schema");
        Objects.requireNonNull(query, "query");
        ByteWriter out = new ByteWriter(256);
        text(schema.qualifiedName(), out);
        text(schema.id().orElse(""), out);
        query.encode(out);
        byte[] whole = digest(Arrays.copyOf(out.array(), out.lengthBytes()));
        return new PagingCookie(schema, query, Arrays.copyOf(whole, DIGEST_BYTES), Optional.empty());
    }

    /**
     * The same, signed.
     *
     * @param secret at least 16 bytes that all processes have which go on from another's cookies
     */
    public PagingCookie signedWith(byte[] secret) {
        Objects.requireNonNull(secret, "secret");
        if (secret.length < KEY_BYTES_MIN) {
            throw new IllegalArgumentException(
                    "key of cookies is too short, lengthBytes=" + secret.length + ", lengthMinBytes=" + KEY_BYTES_MIN);
        }
        return new PagingCookie(schema, query, digest, Optional.of(new SecretKeySpec(secret, MAC)));
    }

    /** @throws IllegalArgumentException when no page was read yet */
    public String write(PagingState state) {
        Objects.requireNonNull(state, "state");
        RingPosition after = state.after()
                .orElseThrow(
                        () -> new IllegalArgumentException("there is no place to go on from before the first page"));
        ByteWriter out = new ByteWriter(128);
        out.writeByte(VERSION);
        out.writeByte(key.isPresent() ? SIGNED : 0);
        out.writeBytes(digest);
        out.writeLong(state.queryId().getMostSignificantBits());
        out.writeLong(state.queryId().getLeastSignificantBits());
        after.encode(out);
        out.writeUnsignedVInt(state.rowCount());
        out.writeUnsignedVInt(state.concurrency());
        out.writeUnsignedVInt(state.served().size());
        state.served().forEach(name -> text(name, out));
        out.writeBytes(seal(out.array(), out.lengthBytes()));
        return encode(Arrays.copyOf(out.array(), out.lengthBytes()));
    }

    private static void text(String text, ByteWriter out) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeUnsignedVInt(bytes.length);
        out.writeBytes(bytes);
    }

    /** @throws PagingCookieException when nothing can be gone on with */
    public PagingState read(String cookie) {
        byte[] bytes = bytes(cookie);
        int sealBytes = key.isPresent() ? MAC_BYTES : CRC_BYTES;
        if (bytes.length > 0 && bytes[0] != VERSION) {
            throw new PagingCookieException("paging cookie is of a version that is not known, version="
                    + Byte.toUnsignedInt(bytes[0]) + ", known=" + VERSION);
        }
        if (bytes.length < HEAD_BYTES + DIGEST_BYTES + sealBytes) {
            throw damaged("it is too short, lengthBytes=" + bytes.length, null);
        }
        boolean signed = (bytes[1] & SIGNED) != 0;
        if (signed && key.isEmpty()) {
            throw new PagingCookieException("paging cookie is signed: give the key that signed it");
        }
        if (!signed && key.isPresent()) {
            throw new PagingCookieException("paging cookie is not signed: only signed ones are taken here");
        }
        int contentBytes = bytes.length - sealBytes;
        byte[] found = Arrays.copyOfRange(bytes, contentBytes, bytes.length);
        if (!MessageDigest.isEqual(found, seal(bytes, contentBytes))) {
            throw signed
                    ? new PagingCookieException("paging cookie is damaged, forged, or signed with another key")
                    : damaged("its checksum is wrong", null);
        }
        if (!Arrays.equals(bytes, HEAD_BYTES, HEAD_BYTES + DIGEST_BYTES, digest, 0, DIGEST_BYTES)) {
            throw new PagingCookieException(
                    "paging cookie is of another query or another table: ask with what the first"
                            + " page was asked with, table=" + schema.qualifiedName());
        }
        int start = HEAD_BYTES + DIGEST_BYTES;
        return state(new ByteReader().wrap(bytes, start, contentBytes - start));
    }

    private static String encode(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static byte[] bytes(String cookie) {
        if (cookie == null) {
            throw new PagingCookieException("no paging cookie is given, cookie=null");
        }
        if (cookie.length() > TEXT_MAX) {
            throw damaged("it is too long, characters=" + cookie.length(), null);
        }
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(cookie.strip());
            // The last character may have bits to spare, which the decoder does not look at.
            if (!encode(bytes).equals(cookie.strip())) {
                throw damaged("it is not as it was made", null);
            }
            return bytes;
        } catch (IllegalArgumentException e) {
            throw damaged("it is no base64", e);
        }
    }

    private PagingState state(ByteReader in) {
        try {
            UUID queryId = new UUID(in.readLong(), in.readLong());
            RingPosition after = RingPosition.decode(in, schema.clustering().size());
            long rowCount = in.readUnsignedVInt();
            int concurrency = in.readUnsignedVInt32();
            int count = in.readUnsignedVInt32();
            List<String> served = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                served.add(new String(in.readBytes(in.readUnsignedVInt32()), StandardCharsets.UTF_8));
            }
            if (in.hasRemaining()) {
                throw damaged("bytes are left over, remainingBytes=" + in.remainingBytes(), null);
            }
            // Whoever has the key, or needs none, can seal anything.
            if (!query.mayEndAt(after) || rowCount > ROWS_MAX) {
                throw damaged("no page of this query ends there, place=" + after + ", rowCount=" + rowCount, null);
            }
            return new PagingState(queryId, Optional.of(after), rowCount, served, concurrency);
        } catch (PagingCookieException e) {
            throw e;
        } catch (ByteUnderflowException | IllegalArgumentException e) {
            throw damaged("its content is not possible, reason=" + e.getMessage(), e);
        }
    }

    private static PagingCookieException damaged(String reason, Throwable cause) {
        return new PagingCookieException("paging cookie is damaged: " + reason, cause);
    }

    private byte[] seal(byte[] content, int lengthBytes) {
        if (key.isPresent()) {
            try {
                Mac mac = Mac.getInstance(MAC);
                mac.init(key.get());
                mac.update(content, 0, lengthBytes);
                return mac.doFinal();
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("every Java has " + MAC, e);
            }
        }
        CRC32C checksum = new CRC32C();
        checksum.update(content, 0, lengthBytes);
        ByteWriter out = new ByteWriter(CRC_BYTES);
        out.writeInt((int) checksum.getValue());
        return Arrays.copyOf(out.array(), CRC_BYTES);
    }

    private static byte[] digest(byte[] content) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(content);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
