/**
 * A daemon thread counts in loops that C2 compiles without a poll (-Xcomp -XX:-TieredCompilation -XX:+UseSerialGC): no safepoint is ever reached. After a second main returns, calls System.gc()
 * (argument "gc"), or asks for the thread's stack ("stack": a safepoint in JDK 17, a handshake in JDK 25).
 */
public class Unstoppable {
    static volatile int result;

    static void count(int n) {
        int x = 1;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                x = x * 31 + j;
                if ((x & 0x7ff) == 0x123) {
                    x ^= i;
                }
            }
        }
        result = x;
    }

    public static void main(String[] arguments) throws InterruptedException {
        Thread counter = new Thread(() -> count(Integer.MAX_VALUE), "counter");
        counter.setDaemon(true);
        counter.start();
        Thread.sleep(1000);
        if (arguments.length > 0 && arguments[0].equals("gc")) {
            System.gc();
        } else if (arguments.length > 0) {
            result = counter.getStackTrace().length;
        }
    }
}
