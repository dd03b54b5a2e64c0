/** What streaming says on the wire. May import core: net, node. Imported by streaming. Immutable values, safe to share. */
package io.anneal.streaming.message;
