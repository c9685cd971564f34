/**
 * A thread runs a long loop with an int index while others ask for safepoints: they wait for it. The loop has no poll without
 * -XX:+UseCountedLoopSafepoints (the default with the Serial collector). Arguments: iterations of the loop, rounds.
 */
public class Staller {
    static volatile long result;

    static long churn(int iterations) {
        long x = 1;
        for (int i = 0; i < iterations; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    public static void main(String[] arguments) throws InterruptedException {
        int iterations = Integer.parseInt(arguments[0]);
        // Compiled as a whole method first: on-stack replacement would enter it in the middle.
        for (int i = 0; i < 20_000; i++) {
            result += churn(200);
        }
        Thread.sleep(500);
        for (int round = 0; round < Integer.parseInt(arguments[1]); round++) {
            var started = new java.util.concurrent.CountDownLatch(1);
            Thread worker = new Thread(() -> {
                started.countDown();
                result += churn(iterations);
            }, "churner");
            worker.start();
            started.await();
            Thread.sleep(30);
            System.gc();
            worker.join();
        }
    }
}
