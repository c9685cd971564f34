import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;

/** Loops with one slow operation each: java Loops.java NAME SECONDS. The results of the cheap operations are used, so none goes away. */
public class Loops {
	static final int SIZE = 1 << 22;
	static volatile int published;
	static int plain;
	static final AtomicInteger counter = new AtomicInteger();
	static Node first;
	static int[] next;
	static long sink;

	static final class Node {
		Node next;
		long a, b, c, d, e;
	}

	static long idiv(int n, int divisor) {
		int x = 1_000_000_007, y = 0;
		for (int i = 0; i < n; i++) {
			x = (x | 1_000_000_000) / divisor;
			y = (y ^ i) + 3;
		}
		return x + y;
	}

	static long irem(int n, int divisor) {
		int x = 1_000_000_007, y = 0;
		for (int i = 0; i < n; i++) {
			x = (x | 1_000_000_000) % divisor;
			y = (y ^ i) + 3;
		}
		return x + y;
	}

	static long sqrt(int n, double start) {
		double x = start;
		int y = 0;
		for (int i = 0; i < n; i++) {
			x = Math.sqrt(x + 1.5);
			y = (y ^ i) + 3;
		}
		return (long) x + y;
	}

	static long divide(int n, double start) {
		double x = start;
		int y = 0;
		for (int i = 0; i < n; i++) {
			x = 3.7 / (x + 1.5);
			y = (y ^ i) + 3;
		}
		return (long) x + y;
	}

	static long arrayChase(int n, int[] next) {
		int at = 0, y = 0;
		for (int i = 0; i < n; i++) {
			at = next[at];
			y = (y ^ i) + 3;
		}
		return at + y;
	}

	static long listChase(int n, Node start) {
		Node at = start;
		int y = 0;
		for (int i = 0; i < n; i++) {
			at = at.next;
			y = (y ^ i) + 3;
		}
		first = at;
		return y;
	}

	static long getAndAdd(int n, AtomicInteger counter) {
		int x = 0, y = 0;
		for (int i = 0; i < n; i++) {
			x += counter.getAndAdd(i);
			y = (y ^ i) + 3;
		}
		return x + y;
	}

	static long compareAndSet(int n, AtomicInteger counter) {
		int x = counter.get(), y = 0;
		for (int i = 0; i < n; i++) {
			x += counter.compareAndSet(x, x + 1) ? 1 : 0;
			y = (y ^ i) + 3;
		}
		return x + y;
	}

	static long volatileStore(int n) {
		int y = 0;
		for (int i = 0; i < n; i++) {
			published = i;
			y = (y ^ i) + 3;
		}
		return y;
	}

	static long fullFence(int n) {
		int y = 0;
		for (int i = 0; i < n; i++) {
			plain = y;
			VarHandle.fullFence();
			y = (y ^ i) + 3;
		}
		return y;
	}

	static long onSpinWait(int n) {
		int y = 0;
		for (int i = 0; i < n; i++) {
			Thread.onSpinWait();
			y = (y ^ i) + 3;
		}
		return y;
	}

	static long run(String name, int n) {
		return switch (name) {
			case "idiv" -> idiv(n, 7);
			case "irem" -> irem(n, 1_000_003);
			case "sqrt" -> sqrt(n, 2.5);
			case "divide" -> divide(n, 2.5);
			case "arrayChase" -> arrayChase(n, next);
			case "listChase" -> listChase(n, first);
			case "getAndAdd" -> getAndAdd(n, counter);
			case "compareAndSet" -> compareAndSet(n, counter);
			case "volatileStore" -> volatileStore(n);
			case "fullFence" -> fullFence(n);
			case "onSpinWait" -> onSpinWait(n);
			default -> throw new IllegalArgumentException(name);
		};
	}

	/** One random cycle through all. */
	static void makeChains(boolean isList) {
		int[] order = new int[SIZE];
		long random = 88172645463325252L;
		for (int i = 0; i < SIZE; i++) {
			order[i] = i;
		}
		for (int i = SIZE - 1; i > 0; i--) {
			random ^= random << 13;
			random ^= random >>> 7;
			random ^= random << 17;
			int other = (int) Long.remainderUnsigned(random, i), line = order[i];
			order[i] = order[other];
			order[other] = line;
		}
		if (isList) {
			Node[] nodes = new Node[SIZE];
			for (int i = 0; i < SIZE; i++) {
				nodes[i] = new Node();
			}
			for (int i = 0; i < SIZE; i++) {
				nodes[order[i]].next = nodes[order[(i + 1) % SIZE]];
			}
			first = nodes[0];
		} else {
			next = new int[SIZE];
			for (int i = 0; i < SIZE; i++) {
				next[order[i]] = order[(i + 1) % SIZE];
			}
		}
	}

	public static void main(String[] args) {
		if (args[0].endsWith("Chase")) {
			makeChains(args[0].startsWith("list"));
		}
		long end = System.nanoTime() + (long) (Double.parseDouble(args[1]) * 1e9);
		while (System.nanoTime() < end) {
			sink += run(args[0], 20_000);
		}
		System.out.println(sink);
	}
}
