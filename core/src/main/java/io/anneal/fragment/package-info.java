/**
 * The stream all data passes through. A partition opens with a start (key and partition deletion), may hold a static
 * row, then clustering rows and range tombstone changes in clustering order, and closes with an end, by which time no
 * range deletion may be open. Here are the cursor contract, the fragments, the validator and the canonical encoding. May
 * import key, schema, io. Imported by everything above. Cursors belong to one thread; the current fragment is valid
 * until the next advance.
 */
package io.anneal.fragment;
