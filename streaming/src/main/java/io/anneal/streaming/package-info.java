/**
 * Data of a table from one replica to another, wholesale: SSTables as they are where they lie wholly inside the wanted ranges,
 * rows of the others. The replica that is to have the data asks, and alone keeps count of what it has.
 * May import core: store, net, node, job; its own sub-packages. Imported by migrate, bench and cli.
 */
package io.anneal.streaming;
