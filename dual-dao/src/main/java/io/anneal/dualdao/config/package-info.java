/**
 * What users choose for a dual DAO: its mode and policies, how a key is copied, time and threads. All of it together is a
 * {@link io.anneal.dualdao.config.DualConfig}. May import dualdao.control, journal, stats, operation, transaction and what these
 * may. Imported by dualdao.copy, dualdao.route, dualdao and migrate. Immutable but for what the builder fills in.
 */
package io.anneal.dualdao.config;
