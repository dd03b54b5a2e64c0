/**
 * The transactions that callers' threads are in, as a dual DAO is told of them. May import nothing of ours. Imported by
 * dualdao.config, dualdao.route, dualdao and migrate. A transaction belongs to one thread at a time.
 */
package io.anneal.dualdao.transaction;
