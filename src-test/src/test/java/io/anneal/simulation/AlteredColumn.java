package io.anneal.simulation;

/** A column that a table may have for a while. */
record AlteredColumn(String name, String type, boolean isStatic) {
    boolean isMap() {
        return type.startsWith("map");
    }

    String definition() {
        return name + " " + type + (isStatic ? " static" : "");
    }
}
