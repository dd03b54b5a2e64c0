/**
 * The rules of the source tree as tests: which package may import which, what the public types may show, which calls are
 * banned, that each package says what it is. May import everything. Imported by nothing. The classes are read once and
 * never changed.
 */
package io.anneal.architecture;
