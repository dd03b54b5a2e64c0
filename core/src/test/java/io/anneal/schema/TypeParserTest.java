package io.anneal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TypeParserTest {
    @Test
    void shouldSplitCompositeKeyIntoComponents() {
        String composite = "org.apache.cassandra.db.marshal.CompositeType(org.apache.cassandra.db.marshal.Int32Type,"
                + "org.apache.cassandra.db.marshal.UTF8Type)";

        assertThat(TypeParser.components(composite)).containsExactly(CqlTypes.INT, CqlTypes.TEXT);
        assertThat(TypeParser.components("LongType")).containsExactly(CqlTypes.BIGINT);
        assertThat(TypeParser.compositeClassName(List.of(CqlTypes.INT, CqlTypes.TEXT)))
                .isEqualTo(composite);
        assertThat(TypeParser.compositeClassName(List.of(CqlTypes.UUID))).isEqualTo(CqlTypes.UUID.className());
    }

    @Test
    void shouldReverseWhenOldParametersSaySo() {
        assertThat(TypeParser.parse("Int32Type(reversed=true)")).isEqualTo(CqlTypes.reversed(CqlTypes.INT));
        assertThat(TypeParser.parse("Int32Type( reversed )").isReversed()).isTrue();
        assertThat(TypeParser.parse("Int32Type(reversed=false)")).isEqualTo(CqlTypes.INT);
        assertThat(CqlTypes.reversed(CqlTypes.reversed(CqlTypes.INT))).isEqualTo(CqlTypes.INT);
    }

    @Test
    void shouldReadNamesOutsideAsciiWhenFieldsHaveThem() {
        CqlType type = CqlTypes.userType("ks", "Größe", List.of("länge"), List.of(CqlTypes.INT));

        assertThat(TypeParser.parse(type.className())).isEqualTo(type);
        assertThat(type.cqlName()).isEqualTo("\"Größe\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "(",
                "ListType(",
                "ListType()",
                "ListType(Int32Type,Int32Type)",
                "MapType(Int32Type)",
                "Int32Type)",
                "Int32Type x",
                "VectorType(Int32Type , 0)",
                "VectorType(Int32Type , 99999999999)",
                "VectorType(Int32Type)",
                "UserType(ks,6g)",
                "UserType(ks,61,62)",
                "UserType(ks,61,62:)",
                "Int32Type(=)",
                "CompositeType("
            })
    void shouldSayWhereWhenNameIsBroken(String className) {
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> TypeParser.components(className))
                .withMessageContaining("className=" + className)
                .withMessageContaining("position=");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "OddType",
                "com.example.ListType(Int32Type)",
                "DynamicCompositeType(a=>LongType)",
                "ColumnToCollectionType(61:ListType(Int32Type))",
                "ListType(CompositeType(Int32Type))"
            })
    void shouldRefuseByNameWhenClassIsNotHandled(String className) {
        assertThatExceptionOfType(UnsupportedTypeException.class)
                .isThrownBy(() -> TypeParser.parse(className))
                .withMessageContaining("class=")
                .withMessageContaining(className);
    }

    @Test
    void shouldGivePathsAndCellsWhenTypeHasManyCells() {
        CqlType list = CqlTypes.list(CqlTypes.INT);
        CqlType set = CqlTypes.set(CqlTypes.INT);
        CqlType map = CqlTypes.map(CqlTypes.INT, CqlTypes.TEXT);

        assertThat(List.of(list.pathType(), list.cellType())).containsExactly(CqlTypes.TIMEUUID, CqlTypes.INT);
        assertThat(List.of(set.pathType(), set.cellType())).containsExactly(CqlTypes.INT, CqlTypes.EMPTY);
        assertThat(List.of(map.pathType(), map.cellType())).containsExactly(CqlTypes.INT, CqlTypes.TEXT);
        assertThat(map.pathText(new byte[] {0, 0, 0, 9}, 0, 4)).isEqualTo("9");
        assertThat(list.frozen().cellType()).isEqualTo(list.frozen());
        assertThatIllegalStateException().isThrownBy(() -> list.frozen().pathType());
        assertThatIllegalStateException().isThrownBy(() -> set.frozen().pathType());
        assertThatIllegalStateException().isThrownBy(() -> map.frozen().pathType());
        assertThatIllegalStateException().isThrownBy(CqlTypes.INT::pathType);
    }

    @Test
    void shouldTellFieldsApartWhenUserTypeHasManyCells() {
        CqlType type = CqlTypes.userType("ks", "u", List.of("a", "B"), List.of(CqlTypes.INT, CqlTypes.TEXT));

        assertThat(type.isMultiCell()).isTrue();
        assertThat(type.pathType()).isEqualTo(CqlTypes.SMALLINT);
        assertThat(type.cellType(new byte[] {0, 1}, 0, 2)).isEqualTo(CqlTypes.TEXT);
        assertThat(type.pathText(new byte[] {9, 0, 1}, 1, 2)).isEqualTo("B");
        assertThatIllegalStateException().isThrownBy(type::cellType);
        assertThatExceptionOfType(InvalidValueException.class)
                .isThrownBy(() -> type.cellType(new byte[] {0, 2}, 0, 2))
                .withMessageContaining("0x0002");
        assertThatExceptionOfType(InvalidValueException.class).isThrownBy(() -> type.pathText(new byte[] {0}, 0, 1));
        assertThat(type.frozen().isMultiCell()).isFalse();
        assertThat(type.frozen()).isNotEqualTo(type);
        assertThat(type.frozen().cellType(new byte[0], 0, 0)).isEqualTo(type.frozen());
    }

    @Test
    void shouldFindNativeTypesByAnyCaseAndRefuseOddOnes() {
        assertThat(CqlTypes.nativeType("VarChar")).contains(CqlTypes.TEXT);
        assertThat(CqlTypes.nativeType("list")).isEmpty();
        assertThat(CqlTypes.NATIVE)
                .hasSize(20)
                .allSatisfy(t -> assertThat(CqlTypes.nativeType(t.cqlName())).contains(t));
        assertThatIllegalArgumentException().isThrownBy(() -> CqlTypes.vector(CqlTypes.INT, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> CqlTypes.userType("k", "u", List.of("a"), List.of()));
    }
}
