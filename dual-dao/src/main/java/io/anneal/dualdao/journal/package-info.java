/**
 * Keys of which one side may lack the newest state, in memory or in a file. May import dualdao.phase. Imported by dualdao and
 * migrate. Any thread may call; asking for a key takes no lock.
 */
package io.anneal.dualdao.journal;
