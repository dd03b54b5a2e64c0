/**
 * Repair as it was before rows were compared: whole ranges of partitions are, and sent. Imports repair and what lies below it;
 * imported by the scenarios.
 */
package io.anneal.bench.oldrepair;
