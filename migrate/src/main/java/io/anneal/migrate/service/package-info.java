/**
 * What a service gives to its dual DAO: a registry for its measurements, the memory of the phase in an embedded target. May import
 * dualdao and store. Imported by harness. Any thread may call.
 */
package io.anneal.migrate.service;
