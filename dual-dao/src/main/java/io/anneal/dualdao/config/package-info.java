/**
 * What users choose for a dual DAO: its mode and policies, how a key is copied, time and threads. May import dualdao.compare,
 * dualdao.phase, dualdao.stats and dualdao.transaction. Imported by dualdao.route, dualdao and migrate. Immutable.
 */
package io.anneal.dualdao.config;
