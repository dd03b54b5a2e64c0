package io.anneal.harness;

import io.anneal.harness.store.OpenStore;
import io.anneal.harness.store.StoreSettings;
import io.anneal.harness.store.StoreUrl;
import java.io.Closeable;
import java.io.IOException;

/** Origin and target, open. */
public record MigrationSides(OpenStore origin, OpenStore target) implements Closeable {
    /** Opens both; the one that is open is closed if the other can't be opened. */
    public static MigrationSides open(
            StoreUrl originUrl, StoreSettings originSettings, StoreUrl targetUrl, StoreSettings targetSettings)
            throws IOException {
        OpenStore origin = originUrl.open(originSettings);
        boolean opened = false;
        try {
            MigrationSides sides = new MigrationSides(origin, targetUrl.open(targetSettings));
            opened = true;
            return sides;
        } finally {
            if (!opened) {
                origin.close();
            }
        }
    }

    @Override
    public void close() throws IOException {
        try {
            target.close();
        } finally {
            origin.close();
        }
    }
}
