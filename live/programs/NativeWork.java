import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * Work of native methods, which only the stack tells from whom: a library of C packs for one method and unpacks for another; and memory that nobody used before, which the
 * kernel clears while compiled code writes it. A thread of its own dumps the stack of the main thread to the file of the second argument.
 */
public class NativeWork {
	private static final byte[] PLAIN = new byte[1 << 16];
	private static final byte[] PACKED = new byte[1 << 16];
	private static volatile boolean isRunning = true;

	static int packed(int level) {
		Deflater deflater = new Deflater(level);
		deflater.setInput(PLAIN);
		deflater.finish();
		int size = deflater.deflate(PACKED);
		deflater.end();
		return size;
	}

	static int unpacked(int size, byte[] into) {
		try {
			Inflater inflater = new Inflater();
			inflater.setInput(PACKED, 0, size);
			int count = inflater.inflate(into);
			inflater.end();
			return count;
		} catch (DataFormatException error) {
			throw new IllegalStateException(error);
		}
	}

	static int fresh(int arrays) {
		int sum = 0;
		for (int i = 0; i < arrays; i++) {
			byte[] bytes = new byte[1 << 14];
			bytes[i & 0x3fff] = 1;
			sum += bytes[(i * 7) & 0x3fff];
		}
		return sum;
	}

	private static Thread dumping(Thread main, String file) {
		Thread dumper = new Thread(() -> {
			Map<String, Integer> counts = new LinkedHashMap<>();
			while (isRunning) {
				try {
					// Rounds take about as long each: pauses of one length could meet them at the same places.
					Thread.sleep(ThreadLocalRandom.current().nextInt(1, 6));
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

	/** Rounds of a few milliseconds each, and the file of the dumps. Rounds, so that the start is as small a part of the time on a busy machine. */
	public static void main(String[] args) throws InterruptedException {
		for (int i = 0, state = 1; i < PLAIN.length; i++) {
			state = state * 1103515245 + 12345;
			PLAIN[i] = (byte) ((state >>> 24) % 7 + 'a');
		}
		Thread dumper = args.length > 1 ? dumping(Thread.currentThread(), args[1]) : null;
		byte[] plain = new byte[PLAIN.length];
		long sum = 0;
		for (int round = 0; round < Integer.parseInt(args[0]); round++) {
			int size = packed(6);
			for (int i = 0; i < 4; i++) {
				sum += unpacked(size, plain);
			}
			sum += fresh(100);
		}
		isRunning = false;
		if (dumper != null) {
			dumper.join();
		}
		System.out.println(sum);
	}
}
