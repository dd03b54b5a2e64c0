/**
 * The way of an operation in each phase: calls of both sides, their order, what one side may lack and gets copied. May import
 * all else below dualdao. Imported by dualdao and migrate. An operation runs on its caller's thread unless its answer comes later.
 */
package io.anneal.dualdao.route;
