/**
 * The handle of a dual DAO and its builder, which checks what it was told and puts the parts together. May import its
 * sub-packages alone. Imported by migrate. Any thread may call.
 */
package io.anneal.dualdao;
