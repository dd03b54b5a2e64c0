/**
 * What is asked of a replica for one page, and what it answers: the query, the limits, the page, and the seam between who asks and who
 * reads. Values are immutable and safe for any thread. May import {@code core}: fragment, key, schema. Imported by all of paging.
 */
package io.anneal.paging.query;
