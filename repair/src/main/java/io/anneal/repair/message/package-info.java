/**
 * Verbs and wire layouts of repair: what a master and a replica say to each other. May import core: io, net, key.
 * Imported by repair. Immutable records; safe to share.
 */
package io.anneal.repair.message;
