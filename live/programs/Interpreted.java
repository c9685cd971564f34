/**
 * Methods that are to be excluded from compilation: `heavy` takes three times as long as `light`, `filling` works in the JVM; `spinning` is compiled. Prints
 * the percentages of its time on a processor in the first three: where the collector stops it, it has none.
 */
public class Interpreted {
	private static final java.lang.management.ThreadMXBean THREADS = java.lang.management.ManagementFactory.getThreadMXBean();
	private static int sink;

	private static int heavy(int rounds) {
		int sum = 1;
		for (int i = 0; i < 3 * rounds; i++) {
			sum = sum * 31 + (i ^ sum >>> 3);
		}
		return sum;
	}

	private static int light(int rounds) {
		int sum = 1;
		for (int i = 0; i < rounds; i++) {
			sum = sum * 31 + (i ^ sum >>> 3);
		}
		return sum;
	}

	/** The JVM allocates, and clears the memory. */
	private static int filling(int rounds) {
		int sum = 0;
		for (int i = 0; i < rounds; i++) {
			sum += new byte[100_000].length;
		}
		return sum;
	}

	private static int spinning(int rounds) {
		int sum = sink;
		for (int i = 0; i < rounds; i++) {
			sum = sum * 31 + (i ^ sum >>> 3);
		}
		return sum;
	}

	public static void main(String[] arguments) {
		long end = THREADS.getCurrentThreadCpuTime() + Long.parseLong(arguments[0]) * 1_000_000;
		long random = 1;
		long[] spent = new long[3];
		long began = THREADS.getCurrentThreadCpuTime();
		for (long now = began; now < end; ) {
			// Without a rhythm, which that of the samples could meet.
			random = random * 6364136223846793005L + 1442695040888963407L;
			int rounds = 4_000 + (int) (random >>> 50);
			sink += heavy(rounds);
			long afterHeavy = THREADS.getCurrentThreadCpuTime();
			sink += light(rounds);
			long afterLight = THREADS.getCurrentThreadCpuTime();
			sink += filling(rounds / 250);
			long afterFilling = THREADS.getCurrentThreadCpuTime();
			sink += spinning(2 * rounds);
			spent[0] += afterHeavy - now;
			spent[1] += afterLight - afterHeavy;
			spent[2] += afterFilling - afterLight;
			now = THREADS.getCurrentThreadCpuTime();
		}
		double whole = THREADS.getCurrentThreadCpuTime() - began;
		System.out.println(String.format("%.2f %.2f %.2f", 100 * spent[0] / whole, 100 * spent[1] / whole, 100 * spent[2] / whole));
	}
}
