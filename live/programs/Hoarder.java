import java.util.Random;

/** Keeps much and allocates all the time: the collector has most of the work. java Hoarder MILLISECONDS */
public class Hoarder {
	static final Object[] KEPT = new Object[200_000];

	public static void main(String[] arguments) {
		long endNs = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000;
		Random random = new Random(1);
		long made = 0;
		while (System.nanoTime() < endNs) {
			for (int i = 0; i < 10_000; i++, made++) {
				KEPT[random.nextInt(KEPT.length)] = new int[20 + random.nextInt(100)];
			}
		}
		System.out.println(made);
	}
}
