package io.anneal.net;

/** What the handshake has settled for the life of a connection. */
record Agreement(
        NodeIdentity peerNode,
        int wireVersion,
        int encodingVersion,
        boolean lz4,
        int peerInitialCreditBytes,
        int peerStreamsMax) {}
