/** Loops over arrays, one for as long as it is told: `java ArrayLoops LOOP MILLISECONDS`. */
final class ArrayLoops {
	private static final int LENGTH = 2000;

	private static void oneIndex(double[] y, double[] x, int at) {
		for (int i = 0; i < LENGTH; i++) {
			y[at + i] += 1.1 * x[at + i];
		}
	}

	private static void twoIndices(double[] y, int at, double[] x, int from) {
		for (int i = 0; i < LENGTH; i++) {
			y[at + i] += 1.1 * x[from + i];
		}
	}

	private static void oneArray(double[] y, int at, int from) {
		for (int i = 0; i < LENGTH; i++) {
			y[at + i] += 1.1 * y[from + i];
		}
	}

	private static void neighbours(double[] y, double[] x) {
		for (int i = 1; i < LENGTH; i++) {
			y[i] = x[i - 1] + x[i + 1];
		}
	}

	private static void sums(int[] y, int[] x) {
		for (int i = 1; i < LENGTH; i++) {
			y[i] = y[i - 1] + x[i];
		}
	}

	private static void uncounted(int[] y) {
		for (int i = 0; i + 1 < LENGTH; i++) {
			y[i] = y[i + 1] ^ i;
		}
	}

	private static void reversed(int[] y, int[] x) {
		for (int i = 0; i < LENGTH; i++) {
			y[i] = x[LENGTH - 1 - i];
		}
	}

	private static void downwards(int[] y, int[] x) {
		for (int i = LENGTH - 1; i >= 0; i--) {
			y[i] = x[i] + 1;
		}
	}

	private static void everySecond(int[] y, int[] x) {
		for (int i = 0; i < LENGTH / 2; i++) {
			y[i] = x[2 * i] + 1;
		}
	}

	private static void remainders(int[] y, int[] x, int divisor) {
		for (int i = 0; i < LENGTH; i++) {
			y[i] = x[i] % divisor;
		}
	}

	public static void main(String[] arguments) {
		double[] y = new double[2 * LENGTH];
		double[] x = new double[2 * LENGTH];
		int[] p = new int[LENGTH + 1];
		int[] q = new int[LENGTH + 1];
		long end = System.currentTimeMillis() + Long.parseLong(arguments[1]);
		while (System.currentTimeMillis() < end) {
			for (int k = 0; k < 200; k++) {
				switch (arguments[0]) {
					case "oneIndex" -> oneIndex(y, x, k);
					case "twoIndices" -> twoIndices(y, k, x, 2 * k);
					case "oneArray" -> oneArray(y, k, 2 * k);
					case "neighbours" -> neighbours(y, x);
					case "sums" -> sums(p, q);
					case "uncounted" -> uncounted(p);
					case "reversed" -> reversed(p, q);
					case "downwards" -> downwards(p, q);
					case "everySecond" -> everySecond(p, q);
					default -> remainders(p, q, k + 3);
				}
			}
		}
	}
}
