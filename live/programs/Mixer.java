import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Three threads whose profiles are known: "mixer" divides (about two thirds) and hashes strings (the rest), "mapper" fills and reads a map, "sleeper"
 * sleeps. Argument: milliseconds to run.
 */
public class Mixer {
    static volatile long sink;

    static long divide(int n) {
        long sum = 0;
        for (int i = 1; i <= n; i++) {
            sum += (n - i) / i;
        }
        return sum;
    }

    static long hash(String text, int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            for (int at = 0; at < text.length(); at++) {
                sum = 31 * sum + text.charAt(at);
            }
        }
        return sum;
    }

    static long map(Map<Integer, String> map, int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            map.put(i, "ä€" + (i & 15));
            sum += map.get(n - 1 - i) == null ? 1 : 2;
        }
        return sum;
    }

    public static void main(String[] args) throws InterruptedException {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000;
        Thread mixer = new Thread(() -> {
            while (System.nanoTime() < end) {
                sink += divide(200_000);
                sink += hash("the quick brown fox jumps over the lazy dog", 5_000);
            }
        }, "mixer");
        Thread mapper = new Thread(() -> {
            Map<Integer, String> map = new HashMap<>();
            while (System.nanoTime() < end) {
                sink += map(map, 20_000);
            }
        }, "mapper ö");
        Thread sleeper = new Thread(() -> {
            while (System.nanoTime() < end) {
                LockSupport.parkNanos(20_000_000);
            }
        }, "sleeper");
        for (Thread thread : new Thread[] {mixer, mapper, sleeper}) {
            thread.start();
        }
        for (Thread thread : new Thread[] {mixer, mapper, sleeper}) {
            thread.join();
        }
    }
}
