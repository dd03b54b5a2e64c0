/**
 * What reflection knows of a DAO's interface and of its keys, and the object that stands in for it. May import
 * nothing of ours. Imported by dualdao. Immutable once made; any thread may call.
 */
package io.anneal.dualdao.reflect;
