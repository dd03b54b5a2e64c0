package io.anneal.cli.command;

/** Something that the design names and this version does not have yet; the message says what to use instead. */
public final class NotAvailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public NotAvailableException(String message) {
        super(message);
    }
}
