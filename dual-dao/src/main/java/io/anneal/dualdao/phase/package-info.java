/** What is in force: phases, their records, the stores that hold them, and who may change them when. May import nothing of ours. Imported by all of dualdao, by migrate and cli. */
package io.anneal.dualdao.phase;
