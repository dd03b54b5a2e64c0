/**
 * Phased migration between two implementations of a caller's own DAO interface, origin and target: the handle, the builder, and
 * the engine that routes each operation by the phase in force. May import its sub-packages alone. Imported by migrate. Any
 * thread may call; an operation runs on its caller's thread unless its answer comes later.
 */
package io.anneal.dualdao;
