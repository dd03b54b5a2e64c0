/** Keys of which one side may lack the newest state. May import dualdao.phase. Imported by dualdao and migrate. */
package io.anneal.dualdao.journal;
