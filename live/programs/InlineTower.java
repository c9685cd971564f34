/**
 * A method that costs the compiler much memory: each floor calls the next one four times, and all of it is inlined into the loop of `climb`.
 * Arguments: rounds, then how many milliseconds to stay there.
 */
public final class InlineTower {
	private static final int[] STEPS = new int[1024];

	static int climb(int[] steps, int start) {
		int height = start;
		for (int i = 0; i < steps.length; i++) {
			height += first(steps, height + i) - first(steps, i);
			steps[i] = height;
		}
		return height;
	}

	private static int first(int[] steps, int x) {
		return second(steps, x) + second(steps, x ^ 1) - second(steps, x ^ 2) + second(steps, ~x);
	}

	private static int second(int[] steps, int x) {
		return third(steps, x + 5) ^ third(steps, x - 3) ^ third(steps, x * 7) ^ third(steps, x >>> 2);
	}

	private static int third(int[] steps, int x) {
		return fourth(steps, x) + fourth(steps, x + 11) * fourth(steps, x >>> 3) + fourth(steps, x ^ 13);
	}

	private static int fourth(int[] steps, int x) {
		int at = x & (steps.length - 1);
		return (x & 64) == 0 ? steps[at] : x * 31 - steps[at];
	}

	static int step(int[] steps, int x) {
		return steps[x & (steps.length - 1)] + 1;
	}

	public static void main(String[] args) throws InterruptedException {
		int height = 0;
		for (int round = 0; round < Integer.parseInt(args[0]); round++) {
			height += climb(STEPS, round) + step(STEPS, round);
		}
		System.out.println(height == 0 ? "climbed nowhere" : "climbed");
		if (args.length > 1) {
			Thread.sleep(Long.parseLong(args[1]));
		}
	}
}
