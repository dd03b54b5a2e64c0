package io.anneal.dualdao.journal;

/** What an entry of a {@link FileKeyJournal} survives once it was added. */
public enum Durability {
    /** The end of this process, however it ends. */
    PROCESS_KILL,
    /** The machine's too: each entry waits for the disk, together with all that were added meanwhile. */
    POWER_CUT
}
