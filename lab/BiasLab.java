import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Programs of which it is known where their time goes, for `assay lab bias`. The unit of work is one step of Marsaglia's xorshift: each needs
 * the one before, so time is proportional to steps. It is written out in each loop, so that the innermost method is the one that works. A scenario runs twice, in a thread whose name ends in "-warm" and, measured, in one
 * with its own name: profilers are told apart by threads, and need no common clock. Methods called inline* are inlined, apart* are not
 * (CompileCommand).
 *
 * Arguments: names of scenarios with commas, milliseconds of warming up, milliseconds measured, folder of the results. Leaves there
 * truth.txt (scenario, method, weight, how it is known; tabs between) and dumps.collapsed (the thread dumps, with lines).
 */
public final class BiasLab {
	static volatile boolean stop;
	static volatile long result;
	private static volatile Thread measured;

	interface Scenario {
		/** Works until {@link BiasLab#stop}. */
		void run();

		/** Which methods have which part of the time, in any unit; empty if only a measurement can tell. */
		Map<String, Double> weights();

		/** Whether the weights are steps; else the program timed one turn in 64, part by part. */
		default boolean isConstructed() {
			return true;
		}
	}

	static long step(long x) {
		x ^= x << 13;
		x ^= x >>> 7;
		return x ^ x << 17;
	}

	public static void main(String[] arguments) throws Exception {
		long warmMs = Long.parseLong(arguments[1]);
		long measuredMs = Long.parseLong(arguments[2]);
		Path folder = Paths.get(arguments[3]);
		Map<String, Map<String, Integer>> dumps = new TreeMap<>();
		Thread dumper = new Thread(() -> takeDumps(dumps), "lab-dumper");
		dumper.setDaemon(true);
		dumper.start();
		StringBuilder truth = new StringBuilder();
		for (String name : arguments[0].split(",")) {
			Scenario scenario = (Scenario) Class.forName(name).getDeclaredConstructor().newInstance();
			work(scenario, name + "-warm", warmMs, false);
			work(scenario, name, measuredMs, true);
			scenario.weights().forEach((method, weight) -> truth.append(
				String.format(Locale.ROOT, "%s\t%s.%s\t%.6f\t%s%n", name, name, method, weight, scenario.isConstructed() ? "steps" : "timed")));
		}
		Files.write(folder.resolve("truth.txt"), truth.toString().getBytes("UTF-8"));
		writeDumps(folder.resolve("dumps.collapsed"), dumps);
	}

	private static void work(Scenario scenario, String name, long milliseconds, boolean isMeasured) throws InterruptedException {
		stop = false;
		Thread thread = new Thread(scenario::run, name);
		thread.start();
		if (isMeasured) {
			measured = thread;
		}
		Thread.sleep(milliseconds);
		measured = null;
		stop = true;
		thread.join();
	}

	/** Every 4 to 8 milliseconds, at random, so that it does not follow the beat of the program. */
	private static void takeDumps(Map<String, Map<String, Integer>> dumps) {
		Random random = new Random(20);
		while (true) {
			try {
				Thread.sleep(4 + random.nextInt(4), random.nextInt(1_000_000));
			} catch (InterruptedException e) {
				return;
			}
			Thread thread = measured;
			if (thread == null) {
				continue;
			}
			StackTraceElement[] stack = Thread.getAllStackTraces().get(thread);
			if (stack == null || stack.length == 0 || measured != thread || thread.getState() != Thread.State.RUNNABLE) {
				continue;
			}
			StringBuilder line = new StringBuilder("[" + thread.getName() + "]");
			for (int i = stack.length - 1; i >= 0; i--) {
				line.append(';').append(stack[i].getClassName()).append('.').append(stack[i].getMethodName()).append(':').append(stack[i].getLineNumber());
			}
			synchronized (dumps) {
				dumps.computeIfAbsent(thread.getName(), name -> new TreeMap<>()).merge(line.toString(), 1, Integer::sum);
			}
		}
	}

	private static void writeDumps(Path file, Map<String, Map<String, Integer>> dumps) throws IOException {
		StringBuilder text = new StringBuilder();
		synchronized (dumps) {
			dumps.values().forEach(stacks -> stacks.forEach((stack, count) -> text.append(stack).append(' ').append(count).append('\n')));
		}
		Files.write(file, text.toString().getBytes("UTF-8"));
	}

	static Map<String, Double> weightsOf(Object... methodsAndWeights) {
		Map<String, Double> weights = new LinkedHashMap<>();
		for (int i = 0; i < methodsAndWeights.length; i += 2) {
			weights.put((String) methodsAndWeights[i], ((Number) methodsAndWeights[i + 1]).doubleValue());
		}
		return weights;
	}
}

/** Times of a part, of which the median counts: what else runs on the machine makes single ones longer. The clock's own time is taken off. */
final class Stopwatch {
	private final long[] taken = new long[4096];
	private int count;

	void add(long nanoseconds) {
		taken[count++ & taken.length - 1] = nanoseconds;
	}

	double median() {
		Stopwatch clock = new Stopwatch();
		for (int i = 0; i < taken.length; i++) {
			long begin = System.nanoTime();
			clock.add(System.nanoTime() - begin);
		}
		return Math.max(1, middle() - clock.middle());
	}

	private double middle() {
		long[] sorted = Arrays.copyOf(taken, Math.min(count, taken.length));
		Arrays.sort(sorted);
		return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
	}
}

/** Three counted loops, all inlined into one that polls. */
final class S1Inline implements BiasLab.Scenario {
	static long inlineMost(long x) {
		for (int i = 0; i < 650; i++) {
			x ^= x << 13;
			x ^= x >>> 7;
			x ^= x << 17;
		}
		return x;
	}

	static long inlineSome(long x) {
		for (int i = 0; i < 250; i++) {
			x ^= x << 13;
			x ^= x >>> 7;
			x ^= x << 17;
		}
		return x;
	}

	static long inlineLeast(long x) {
		for (int i = 0; i < 100; i++) {
			x ^= x << 13;
			x ^= x >>> 7;
			x ^= x << 17;
		}
		return x;
	}

	public void run() {
		long x = 1;
		while (!BiasLab.stop) {
			x = inlineLeast(inlineSome(inlineMost(x)));
		}
		BiasLab.result += x;
	}

	public Map<String, Double> weights() {
		return BiasLab.weightsOf("inlineMost", 650, "inlineSome", 250, "inlineLeast", 100);
	}
}

/** The same three, called. */
final class S2Calls implements BiasLab.Scenario {
	static long apartMost(long x) {
		for (int i = 0; i < 650; i++) {
			x ^= x << 13;
			x ^= x >>> 7;
			x ^= x << 17;
		}
		return x;
	}

	static long apartSome(long x) {
		for (int i = 0; i < 250; i++) {
			x ^= x << 13;
			x ^= x >>> 7;
			x ^= x << 17;
		}
		return x;
	}

	static long apartLeast(long x) {
		for (int i = 0; i < 100; i++) {
			x ^= x << 13;
			x ^= x >>> 7;
			x ^= x << 17;
		}
		return x;
	}

	public void run() {
		long x = 1;
		while (!BiasLab.stop) {
			x = apartMost(x);
			x = apartSome(x);
			x = apartLeast(x);
		}
		BiasLab.result += x;
	}

	public Map<String, Double> weights() {
		return BiasLab.weightsOf("apartMost", 650, "apartSome", 250, "apartLeast", 100);
	}
}

/** All the work is inlined; what follows it is a cheap call, and the first place to stop. */
final class S3Gap implements BiasLab.Scenario {
	static long last;

	static long inlineWork(long x) {
		for (int i = 0; i < 600; i++) {
			x ^= x << 13;
			x ^= x >>> 7;
			x ^= x << 17;
		}
		return x;
	}

	static void apartKeep(long x) {
		last = x;
	}

	public void run() {
		long x = 1;
		while (!BiasLab.stop) {
			x = inlineWork(x);
			apartKeep(x);
		}
		BiasLab.result += x;
	}

	public Map<String, Double> weights() {
		return BiasLab.weightsOf("inlineWork", 1);
	}
}

/** A counted loop, without polls, and one over a list, with a poll each time. */
final class S4Mixed implements BiasLab.Scenario {
	private static final class Node {
		final long value;
		final Node next;

		Node(long value, Node next) {
			this.value = value;
			this.next = next;
		}
	}

	private static Node list;

	static {
		for (int i = 0; i < 300; i++) {
			list = new Node(i, list);
		}
	}

	static long inlineCounted(long x) {
		for (int i = 0; i < 600; i++) {
			x ^= x << 13;
			x ^= x >>> 7;
			x ^= x << 17;
		}
		return x;
	}

	static long inlineList(long x) {
		for (Node node = list; node != null; node = node.next) {
			x ^= node.value;
			x ^= x << 13;
			x ^= x >>> 7;
			x ^= x << 17;
		}
		return x;
	}

	private Stopwatch counted;
	private Stopwatch overList;

	public void run() {
		counted = new Stopwatch();
		overList = new Stopwatch();
		long x = 1;
		for (int n = 0; !BiasLab.stop; n++) {
			if ((n & 63) == 0) {
				long begin = System.nanoTime();
				x = inlineCounted(x | 1);
				long between = System.nanoTime();
				x = inlineList(x);
				overList.add(System.nanoTime() - between);
				counted.add(between - begin);
			} else {
				x = inlineCounted(x | 1);
				x = inlineList(x);
			}
		}
		BiasLab.result += x;
	}

	public Map<String, Double> weights() {
		return BiasLab.weightsOf("inlineCounted", counted.median(), "inlineList", overList.median());
	}

	public boolean isConstructed() {
		return false;
	}
}

/** A hot method ends with a chain of cheap calls. */
final class S5Chain implements BiasLab.Scenario {
	static long last;

	static long apartHot(long x) {
		for (int i = 0; i < 600; i++) {
			x ^= x << 13;
			x ^= x >>> 7;
			x ^= x << 17;
		}
		apartFirst(x);
		return x;
	}

	static void apartFirst(long x) {
		apartSecond(x);
	}

	static void apartSecond(long x) {
		apartThird(x);
	}

	static void apartThird(long x) {
		last = x;
	}

	public void run() {
		long x = 1;
		while (!BiasLab.stop) {
			x = apartHot(x);
		}
		BiasLab.result += x;
	}

	public Map<String, Double> weights() {
		return BiasLab.weightsOf("apartHot", 1);
	}
}

/** A loop over a long index, which C2 makes a nest of, and one with a stride that is no constant, which polls each time. */
final class S6Long implements BiasLab.Scenario {
	static int stride = 1;

	static long inlineLong(long x) {
		for (long i = 0; i < 700; i++) {
			x ^= x << 13;
			x ^= x >>> 7;
			x ^= x << 17;
		}
		return x;
	}

	static long inlineStride(long x) {
		int by = stride;
		for (int i = 0; i < 300; i += by) {
			x ^= x << 13;
			x ^= x >>> 7;
			x ^= x << 17;
		}
		return x;
	}

	private Stopwatch overLong;
	private Stopwatch byStride;

	public void run() {
		overLong = new Stopwatch();
		byStride = new Stopwatch();
		long x = 1;
		for (int n = 0; !BiasLab.stop; n++) {
			if ((n & 63) == 0) {
				long begin = System.nanoTime();
				x = inlineLong(x);
				long between = System.nanoTime();
				x = inlineStride(x);
				byStride.add(System.nanoTime() - between);
				overLong.add(between - begin);
			} else {
				x = inlineLong(x);
				x = inlineStride(x);
			}
		}
		BiasLab.result += x;
	}

	public Map<String, Double> weights() {
		return BiasLab.weightsOf("inlineLong", overLong.median(), "inlineStride", byStride.median());
	}

	public boolean isConstructed() {
		return false;
	}
}

/** Ordinary code: a map of words, strings, sorting, allocation. Only a measurement can tell where its time goes. */
final class S7Objects implements BiasLab.Scenario {
	private final Map<String, int[]> counts = new HashMap<>();
	private final String[] words = new String[512];

	S7Objects() {
		for (int i = 0; i < words.length; i++) {
			words[i] = Long.toString(BiasLab.step(i + 1) & 0xfffffL, 36);
			counts.put(words[i], new int[1]);
		}
	}

	private int count(int seed) {
		int sum = 0;
		for (int i = 0; i < words.length; i++) {
			sum += ++counts.get(words[(i + seed) & 511])[0] & 7;
		}
		return sum;
	}

	private int write(int seed) {
		StringBuilder text = new StringBuilder();
		for (int i = 0; i < 60; i++) {
			text.append(seed ^ i).append(i % 10 == 9 ? '\n' : ' ');
		}
		return text.toString().split("\n").length;
	}

	private int sort(int seed) {
		int[] values = new int[100];
		long x = seed | 1L;
		for (int i = 0; i < values.length; i++) {
			x = BiasLab.step(x);
			values[i] = (int) x;
		}
		Arrays.sort(values);
		return values[50];
	}

	public void run() {
		int x = 1;
		while (!BiasLab.stop) {
			x += count(x);
			x += write(x);
			x += sort(x);
		}
		BiasLab.result += x;
	}

	public Map<String, Double> weights() {
		return BiasLab.weightsOf();
	}
}

/** Three inlined loops of many iterations: with strip mining (G1) each polls in an outer loop, without none does. */
final class S8Strip implements BiasLab.Scenario {
	static long inlineMost(long x) {
		for (int i = 0; i < 13_000; i++) {
			x ^= x << 13;
			x ^= x >>> 7;
			x ^= x << 17;
		}
		return x;
	}

	static long inlineSome(long x) {
		for (int i = 0; i < 5_000; i++) {
			x ^= x << 13;
			x ^= x >>> 7;
			x ^= x << 17;
		}
		return x;
	}

	static long inlineLeast(long x) {
		for (int i = 0; i < 2_000; i++) {
			x ^= x << 13;
			x ^= x >>> 7;
			x ^= x << 17;
		}
		return x;
	}

	public void run() {
		long x = 1;
		while (!BiasLab.stop) {
			x = inlineLeast(inlineSome(inlineMost(x)));
		}
		BiasLab.result += x;
	}

	public Map<String, Double> weights() {
		return BiasLab.weightsOf("inlineMost", 13_000, "inlineSome", 5_000, "inlineLeast", 2_000);
	}
}

/** A list that calls short methods of several classes: most have returned before their thread reaches a poll. */
final class S9Calls implements BiasLab.Scenario {
	abstract static class Part {
		long state = 1;

		abstract void take(Parts<long[]> out, int seed);
	}

	static final class Hash extends Part {
		void take(Parts<long[]> out, int seed) {
			state = state * 31 + seed;
			state ^= state >>> 7;
		}
	}

	static final class Sum extends Part {
		void take(Parts<long[]> out, int seed) {
			state += seed;
		}
	}

	static final class One extends Part {
		void take(Parts<long[]> out, int seed) {
			out.add(new long[] {seed});
		}
	}

	static final class Four extends Part {
		void take(Parts<long[]> out, int seed) {
			for (int i = 0; i < 4; i++) {
				out.add(new long[] {i, seed});
			}
		}
	}

	static final class Parts<E> {
		private Object[] elements = new Object[8];
		private int length;

		void add(E element) {
			if (length == elements.length) {
				elements = Arrays.copyOf(elements, 2 * length);
			}
			elements[length++] = element;
		}

		@SuppressWarnings("unchecked")
		void each(Visitor<E> visitor) {
			for (int i = 0; i < length; i++) {
				visitor.visit((E) elements[i]);
			}
		}
	}

	abstract static class Visitor<E> {
		abstract void visit(E element);
	}

	static final class Taker extends Visitor<Part> {
		Parts<long[]> out;
		int seed;

		void visit(Part part) {
			part.take(out, seed);
		}
	}

	static final class Adder extends Visitor<long[]> {
		long sum;

		void visit(long[] values) {
			sum += values[0];
		}
	}

	static final class Mixer extends Visitor<Part> {
		long sum;

		void visit(Part part) {
			sum ^= part.state;
		}
	}

	private final Parts<Part> parts = new Parts<>();

	S9Calls() {
		Random random = new Random(1);
		for (int i = 0; i < 2000; i++) {
			switch (random.nextInt(4)) {
				case 0: parts.add(new Hash()); break;
				case 1: parts.add(new Sum()); break;
				case 2: parts.add(new One()); break;
				default: parts.add(new Four());
			}
		}
	}

	public void run() {
		Taker taker = new Taker();
		Adder adder = new Adder();
		Mixer mixer = new Mixer();
		while (!BiasLab.stop) {
			taker.out = new Parts<>();
			taker.seed++;
			parts.each(taker);
			taker.out.each(adder);
			parts.each(mixer);
		}
		BiasLab.result += adder.sum + mixer.sum;
	}

	public Map<String, Double> weights() {
		return BiasLab.weightsOf();
	}
}
