/**
 * Looks rows up by a boxed key. C2 inlines the call that boxes late, and then says of much of the search that it is that call (-XX:+DebugNonSafepoints); with
 * -XX:-EliminateAutoBox it does not. The boxes are those that the JVM keeps (-128 to 127): no time goes into new ones.
 */
public class Boxes {
    static final long[] KEYS = new long[1 << 12];

    interface Index {
        int find(Object key);
    }

    static final class Sorted implements Index {
        @Override
        public int find(Object key) {
            long wanted = (Long) key;
            int low = 0;
            int high = KEYS.length - 1;
            while (low <= high) {
                int middle = (low + high) >>> 1;
                long there = KEYS[middle];
                if (there < wanted) {
                    low = middle + 1;
                } else if (there > wanted) {
                    high = middle - 1;
                } else {
                    return middle;
                }
            }
            return -1;
        }
    }

    static int row(Index index, long key) {
        return index.find(key); // boxes
    }

    static long rows(Index index, int seed) {
        long sum = 0;
        int x = seed | 1;
        for (int i = 0; i < 10_000; i++) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
            sum += row(index, x & 0x7f);
        }
        return sum;
    }

    public static void main(String[] arguments) {
        for (int i = 0; i < KEYS.length; i++) {
            KEYS[i] = 16L * i;
        }
        long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000;
        Index index = new Sorted();
        long sum = 0;
        for (int seed = 0; System.nanoTime() < end; seed++) {
            sum += rows(index, seed);
        }
        System.out.println(sum);
    }
}
