package io.anneal.dualdao.control;

/** An instance took up an order for work on all keys, and the work failed there. */
public final class OrderFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OrderFailedException(String instance, String reason) {
        super("an instance could not do it, instance=" + instance + ", reason=" + reason);
    }
}
