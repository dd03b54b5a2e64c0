package io.anneal.cli.repair;

import java.util.UUID;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the id of a repair's run, as its report prints it. */
public final class RunId implements ITypeConverter<UUID> {
    @Override
    public UUID convert(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException("'" + text + "' is no run's id: the report of the repair names it");
        }
    }
}
