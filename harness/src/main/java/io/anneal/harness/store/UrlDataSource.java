package io.anneal.harness.store;

import java.io.IOException;
import java.io.Reader;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.Optional;
import java.util.Properties;
import javax.sql.DataSource;

/** A data source that opens a connection of a JDBC URL each time it is asked. */
final class UrlDataSource {
    private UrlDataSource() {}

    /** @param file of properties for the driver, as user and password */
    static DataSource of(String url, Optional<Path> file) throws StoreUnavailableException {
        Properties properties = new Properties();
        if (file.isPresent()) {
            try (Reader reader = Files.newBufferedReader(file.get())) {
                properties.load(reader);
            } catch (IOException e) {
                throw new StoreUnavailableException(
                        "properties can't be read, path=" + file.get() + ", reason=" + e, e);
            }
        }
        return (DataSource) Proxy.newProxyInstance(
                UrlDataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (!method.getName().equals("getConnection")) {
                        throw new UnsupportedOperationException(method.toString());
                    }
                    return DriverManager.getConnection(url, properties);
                });
    }
}
