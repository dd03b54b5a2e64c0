package io.anneal.cli.repair;

import io.anneal.cli.command.QualifiedTable;
import io.anneal.cli.command.Subcommand;
import java.util.List;

/** What commands over a cluster are told of: a keyspace as {@code KS}, or one table of it as {@code KS.TABLE}. */
final class ClusterTables {
    private ClusterTables() {}

    static List<QualifiedTable> of(Subcommand command, List<String> texts) {
        return texts.stream().map(text -> table(command, text)).toList();
    }

    private static QualifiedTable table(Subcommand command, String text) {
        if (text.indexOf('"') >= 0) {
            throw command.usage("names are given as they are stored, without quotes, given=" + text);
        }
        int dot = text.indexOf('.');
        if (text.isEmpty() || dot == 0 || dot == text.length() - 1 || text.indexOf('.', dot + 1) >= 0 && dot >= 0) {
            throw command.usage("name is no keyspace, nor a table as KS.TABLE, given=" + text);
        }
        return dot < 0
                ? new QualifiedTable(text, "*")
                : new QualifiedTable(text.substring(0, dot), text.substring(dot + 1));
    }
}
