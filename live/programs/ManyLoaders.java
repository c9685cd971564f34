import java.io.IOException;
import java.io.InputStream;

/**
 * Makes HotSpot use addresses of its code cache again: class loaders that define the same hot class, are dropped and collected, so that
 * their compiled code is unloaded and its place given to later code. Run with a small -XX:ReservedCodeCacheSize.
 */
public class ManyLoaders {
    /** Defines {@link Work} anew, and takes the rest from its parent. */
    static final class Loader extends ClassLoader {
        private final byte[] work;

        Loader(byte[] work) {
            super(ManyLoaders.class.getClassLoader());
            this.work = work;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals("ManyLoaders$Work")) {
                return super.loadClass(name, resolve);
            }
            Class<?> known = findLoadedClass(name);
            return known != null ? known : defineClass(name, work, 0, work.length);
        }
    }

    /** Methods of different sizes, so that code of one lies where code of another lay. */
    public static final class Work implements Runnable {
        static long sum;

        @Override
        public void run() {
            for (int i = 0; i < 100; i++) {
                sum += divide(50_000, i + 3) + mix(50_000, i) + text(2_000, i);
            }
        }

        static long divide(int n, int divisor) {
            long result = 0;
            for (int i = 1; i <= n; i++) {
                result += (n - i) / (divisor + (i & 7));
            }
            return result;
        }

        static long mix(int n, int seed) {
            int x = seed | 1;
            for (int i = 0; i < n; i++) {
                x ^= x << 13;
                x ^= x >>> 17;
                x ^= x << 5;
            }
            return x;
        }

        static long text(int n, int seed) {
            StringBuilder builder = new StringBuilder();
            for (int i = 0; i < n; i++) {
                builder.append((char) ('a' + (i + seed) % 26));
            }
            return builder.toString().hashCode();
        }
    }

    public static void main(String[] arguments) throws Exception {
        int loaders = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 60;
        byte[] work = bytesOfWork();
        for (int i = 0; i < loaders; i++) {
            Class<?> type = new Loader(work).loadClass("ManyLoaders$Work");
            ((Runnable) type.getDeclaredConstructor().newInstance()).run();
            type = null;
            if (i % 4 == 3) {
                System.gc();
            }
        }
        System.out.println(loaders + " loaders");
    }

    private static byte[] bytesOfWork() throws IOException {
        try (InputStream stream = ManyLoaders.class.getResourceAsStream("ManyLoaders$Work.class")) {
            return stream.readAllBytes();
        }
    }
}
