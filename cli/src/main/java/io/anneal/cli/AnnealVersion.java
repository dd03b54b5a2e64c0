package io.anneal.cli;

import picocli.CommandLine.IVersionProvider;

/** The version that the jar's manifest tells. */
final class AnnealVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = AnnealCommand.class.getPackage().getImplementationVersion();
        return new String[] {"anneal " + (version == null ? "(not from a jar)" : version)};
    }
}
