/**
 * What every on-disk format shares: descriptor, components, the format contract, statistics, and the exceptions that name
 * a file and a place. May import fragment and what lies below it. Imported by the formats below it, by store and by
 * whoever reads files through the contract. Readers may be shared between threads; cursors and writers belong to one.
 */
package io.anneal.sstable;
