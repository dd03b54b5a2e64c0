package io.anneal.cli.repair;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.cli.command.QualifiedTable;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TableNotesTest {
    private static final QualifiedTable PEOPLE = new QualifiedTable("app", "people");
    private static final QualifiedTable PETS = new QualifiedTable("app", "pets");

    private final TableNotes notes = new TableNotes();

    @Test
    void shouldTellOnceWhatIsTheSameOfManyTables() {
        assertThat(notes.add(
                        PEOPLE,
                        List.of(
                                "views were not checked, as none: give all, searched=[a, b], replica=one",
                                "views were not checked, as none: give all, searched=[c], replica=two")))
                .containsExactly(
                        "note: views were not checked, as none: give all, searched=[a, b], replica=one, table=app.people",
                        "note: views were not checked, as none: give all, searched=[c], replica=two, table=app.people");
        assertThat(notes.add(
                        PETS,
                        List.of(
                                "views were not checked, as none: give all, searched=[d, e], replica=one",
                                "replica has no SSTable, replica=one")))
                .containsExactly("note: replica has no SSTable, replica=one, table=app.pets");
        assertThat(notes.rest())
                .containsExactly(
                        "note: views were not checked, as none: give all, replica=one, other-tables=[app.pets]");
    }

    @Test
    void shouldTellOfTablesWithoutReplicas() {
        assertThat(notes.add(PEOPLE, List.of("ages are not known")))
                .containsExactly("note: ages are not known, table=app.people");
        assertThat(notes.add(PETS, List.of("ages are not known"))).isEmpty();
        assertThat(notes.rest()).containsExactly("note: ages are not known, other-tables=[app.pets]");
    }
}
