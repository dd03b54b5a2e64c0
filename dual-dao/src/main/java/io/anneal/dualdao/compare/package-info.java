/** In what two answers differ. May import nothing of ours. Imported by dualdao and migrate. */
package io.anneal.dualdao.compare;
