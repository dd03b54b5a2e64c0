package io.anneal.harness.store;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A DAO of the caller's own, by the name of its class. */
record DaoClass(String name) {
    OpenStore open(StoreUrl url, StoreSettings settings) throws IOException {
        URLClassLoader loader =
                new URLClassLoader("dao", urls(url, settings.classPath()), StoreUrl.class.getClassLoader());
        boolean opened = false;
        try {
            OpenStore open = new OpenStore(url, instance(url, loader), Optional.empty(), Optional.of(loader));
            opened = true;
            return open;
        } finally {
            if (!opened) {
                loader.close();
            }
        }
    }

    private static URL[] urls(StoreUrl url, List<Path> classPath) throws IOException {
        List<URL> urls = new ArrayList<>();
        for (Path entry : classPath) {
            if (!Files.isReadable(entry)) {
                throw refused(url, "class path names what can't be read: " + entry, "correct --classpath", null);
            }
            urls.add(entry.toUri().toURL());
        }
        return urls.toArray(URL[]::new);
    }

    private PartitionDao instance(StoreUrl url, ClassLoader loader) throws StoreUnavailableException {
        try {
            Class<?> type = Class.forName(name, true, loader);
            if (!PartitionDao.class.isAssignableFrom(type)) {
                throw refused(url, "class is no " + PartitionDao.class.getName(), "implement it", null);
            }
            return (PartitionDao) type.getConstructor().newInstance();
        } catch (ClassNotFoundException | LinkageError e) {
            throw refused(url, e.toString(), "name its jar or directory, and all it needs, with --classpath", e);
        } catch (NoSuchMethodException | InstantiationException | IllegalAccessException e) {
            throw refused(url, e.toString(), "give the class, public, a public constructor without parameters", e);
        } catch (InvocationTargetException e) {
            throw refused(url, "constructor threw " + e.getCause(), "mend what it says", e.getCause());
        }
    }

    private static StoreUnavailableException refused(StoreUrl url, String reason, String advice, Throwable cause) {
        return new StoreUnavailableException(
                "DAO can't be made, url=" + url + ", reason=" + reason + "; " + advice, cause);
    }
}
