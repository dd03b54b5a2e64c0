/** What streaming says on the wire. */
package io.anneal.streaming.message;
