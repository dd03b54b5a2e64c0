import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;

/**
 * Rewrites picocli's classes in a jar, which are of Java 5, as classes of Java 8: only such go into a shared archive, and
 * the JVM verifies them faster. Run by the build; then loads them, so that a class that fails to verify fails the build.
 */
public final class ModernClasses {
    private static final int MAJOR_VERSION_AT = 7;

    private ModernClasses() {}

    public static void main(String[] args) throws IOException, ClassNotFoundException {
        Path jar = Path.of(args[0]);
        List<String> names;
        try (FileSystem zip = FileSystems.newFileSystem(jar);
                URLClassLoader classes = loader(jar);
                Stream<Path> files = Files.list(zip.getPath("/picocli"))) {
            List<Path> picocli = files.filter(file -> file.getFileName().toString().startsWith("CommandLine"))
                    .collect(Collectors.toList());
            for (Path file : picocli) {
                Files.write(file, modern(Files.readAllBytes(file), classes));
            }
            names = picocli.stream()
                    .map(file -> file.toString().substring(1).replace('/', '.').replaceAll("\\.class$", ""))
                    .collect(Collectors.toList());
        }
        try (URLClassLoader classes = loader(jar)) {
            for (String name : names) {
                Class.forName(name, true, classes);
            }
        }
    }

    private static URLClassLoader loader(Path jar) throws IOException {
        return new URLClassLoader(new URL[] {jar.toUri().toURL()});
    }

    private static byte[] modern(byte[] old, ClassLoader classes) {
        if (old[MAJOR_VERSION_AT] >= Opcodes.V1_8) {
            return old;
        }
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_FRAMES) {
            @Override
            protected ClassLoader getClassLoader() {
                return classes;
            }
        };
        ClassVisitor visitor = new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public void visit(int version, int access, String name, String signature, String parent, String[] types) {
                super.visit(Opcodes.V1_8, access, name, signature, parent, types);
            }
        };
        new ClassReader(old).accept(visitor, ClassReader.SKIP_FRAMES);
        return writer.toByteArray();
    }
}
