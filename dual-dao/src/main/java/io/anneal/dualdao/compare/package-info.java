/**
 * In what two answers differ, with places that are ignored, tolerated, unordered or redacted. May import nothing of ours.
 * Imported by dualdao and migrate. A comparison is immutable, any thread may use it.
 */
package io.anneal.dualdao.compare;
