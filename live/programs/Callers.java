import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Work whose owner only the stack tells: a method that two callers call equally often, one with a hundred times the work; a call of an interface that four classes
 * implement; copies of bytes, which a stub makes. A thread of its own dumps the stack of the main thread to the file of the second argument.
 */
public class Callers {
	private static final int LARGE = 2000;
	private static final int SMALL = 20;
	private static final byte[] BYTES = new byte[1 << 16];

	private interface Shape {
		long area(int k);
	}

	private static final class Square implements Shape {
		@Override
		public long area(int k) {
			return (long) k * k;
		}
	}

	private static final class Strip implements Shape {
		@Override
		public long area(int k) {
			return 3L * k;
		}
	}

	private static final class Stair implements Shape {
		@Override
		public long area(int k) {
			return (long) k * (k + 1) / 2;
		}
	}

	private static final class Point implements Shape {
		@Override
		public long area(int k) {
			return k & 1;
		}
	}

	/** Not inlined by a command; no poll inside: its time is seen where it returns to. */
	static int shared(int seed, int rounds) {
		int hash = seed;
		for (int i = 0; i < rounds; i++) {
			hash = (hash ^ i) * 0x01000193 + (hash >>> 7);
		}
		return hash;
	}

	static int often(int seed) {
		return shared(seed, LARGE) + 1;
	}

	static int seldom(int seed) {
		return shared(seed, SMALL) + 2;
	}

	static long areas(Shape[] shapes) {
		long sum = 0;
		for (int i = 0; i < shapes.length; i++) {
			sum += shapes[i].area(i);
		}
		return sum;
	}

	/** Each is moved by one byte: source and target overlap. */
	static byte moved(int rounds) {
		for (int i = 0; i < rounds; i++) {
			System.arraycopy(BYTES, 0, BYTES, 1, BYTES.length - 1);
		}
		return BYTES[BYTES.length - 1];
	}

	private static volatile boolean isRunning = true;

	private static Thread dumping(Thread main, String file) {
		Thread dumper = new Thread(() -> {
			Map<String, Integer> counts = new LinkedHashMap<>();
			while (isRunning) {
				try {
					Thread.sleep(3);
				} catch (InterruptedException end) {
					break;
				}
				StringBuilder stack = new StringBuilder();
				for (StackTraceElement frame : main.getStackTrace()) {
					stack.insert(0, (stack.length() == 0 ? "" : ";")).insert(0, frame.getClassName() + "." + frame.getMethodName());
				}
				counts.merge(stack.toString(), 1, Integer::sum);
			}
			try (PrintWriter out = new PrintWriter(file)) {
				counts.forEach((stack, count) -> out.println(stack + " " + count));
			} catch (IOException error) {
				throw new IllegalStateException(error);
			}
		}, "dumper");
		dumper.start();
		return dumper;
	}

	/** Rounds of a fraction of a millisecond each, and the file of the dumps. Rounds, so that the start is as small a part of the time on a busy machine. */
	public static void main(String[] args) throws InterruptedException {
		Shape[] kinds = {new Square(), new Strip(), new Stair(), new Point()};
		Shape[] shapes = new Shape[512];
		for (int i = 0; i < shapes.length; i++) {
			shapes[i] = kinds[(i * 7 + i / 3) % kinds.length];
		}
		Thread dumper = args.length > 1 ? dumping(Thread.currentThread(), args[1]) : null;
		long sum = 0;
		int seed = 1;
		for (int round = 0; round < Integer.parseInt(args[0]); round++) {
			for (int i = 0; i < 50; i++) {
				seed = often(seed);
				seed = seldom(seed);
			}
			for (int i = 0; i < 40; i++) {
				sum += areas(shapes);
			}
			sum += moved(20);
		}
		isRunning = false;
		if (dumper != null) {
			dumper.join();
		}
		System.out.println(sum + seed);
	}
}
