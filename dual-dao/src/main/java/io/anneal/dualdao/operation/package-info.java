/**
 * What a DAO's operations are: the annotations and words that say it, and how it is read from the DAO's interface. May import
 * dualdao.compare and dualdao.reflect. Imported by dualdao.route, dualdao and migrate. Immutable once made; any thread may call.
 */
package io.anneal.dualdao.operation;
