/**
 * Carries bytes between two nodes: one frame format, a handshake that proves a shared token and agrees versions and
 * limits, and requests with their responses. Knows verbs, not rows. May import io and metrics. Imported by repair, streaming
 * and cli. Netty's event loops run the frames and never a handler, a callback or a caller's future;
 * those run on executors handed in from outside.
 */
package io.anneal.net;
