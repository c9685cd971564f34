/**
 * Eight loops that count in eight ways, each a method of its own; the compiler makes on-stack replacements and whole methods of them. Arguments: iterations of
 * each loop in a call, calls.
 */
public class LoopShapes {
    static int stride = 1;
    static volatile long sink;

    static int constantStep(int n) {
        int x = 1;
        for (int i = 0; i < n; i++) {
            x = (x ^ (x >>> 7)) * 31 + i;
        }
        return x;
    }

    static int variableStep(int n, int step) {
        int x = 1;
        for (int i = 0; i < n; i += step) {
            x = (x ^ (x >>> 7)) * 31 + i;
        }
        return x;
    }

    static int longIndex(long n) {
        int x = 1;
        for (long i = 0; i < n; i++) {
            x = (x ^ (x >>> 7)) * 31 + (int) i;
        }
        return x;
    }

    static int whileChange(int n) {
        int x = 1;
        int i = n;
        while (i != 0 && x != 42) {
            x = (x ^ (x >>> 7)) * 31 + i;
            i = i - ((x & 1) | 1);
        }
        return x;
    }

    static int shortIndex(short n, int rounds) {
        int x = 1;
        for (int r = 0; r < rounds; r++) {
            for (short i = 0; i < n; i++) {
                x = (x ^ (x >>> 7)) * 31 + i;
            }
        }
        return x;
    }

    static int down(int n) {
        int x = 1;
        for (int i = n; i > 0; i--) {
            x = (x ^ (x >>> 7)) * 31 + i;
        }
        return x;
    }

    static int notEqual(int n) {
        int x = 1;
        for (int i = 0; i != n; i++) {
            x = (x ^ (x >>> 7)) * 31 + i;
        }
        return x;
    }

    static int stepThree(int n) {
        int x = 1;
        for (int i = 0; i < n; i += 3) {
            x = (x ^ (x >>> 7)) * 31 + i;
        }
        return x;
    }

    public static void main(String[] arguments) {
        int n = Integer.parseInt(arguments[0]);
        int calls = Integer.parseInt(arguments[1]);
        for (int call = 0; call < calls; call++) {
            sink += constantStep(n);
            sink += variableStep(n, stride);
            sink += longIndex(n);
            sink += whileChange(n);
            sink += shortIndex((short) 30_000, n / 30_000);
            sink += down(n);
            sink += notEqual(n);
            sink += stepThree(n);
        }
    }
}
