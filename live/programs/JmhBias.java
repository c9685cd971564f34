package demo;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.CompilerControl;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Benchmarks of which thread dumps show other methods than those that work. */
@State(Scope.Benchmark)
@Fork(1)
@Warmup(iterations = 2, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 1, time = 2500, timeUnit = TimeUnit.MILLISECONDS)
public class JmhBias {
	private long x = 1;
	private final Node first = listOf(300);

	private static final class Node {
		final Node next;

		Node(Node next) {
			this.next = next;
		}
	}

	private static Node listOf(int length) {
		Node first = null;
		for (int i = 0; i < length; i++) {
			first = new Node(first);
		}
		return first;
	}

	private static long work(long x, int steps) {
		for (int i = 0; i < steps; i++) {
			x ^= x << 13;
			x ^= x >>> 7;
			x ^= x << 17;
		}
		return x;
	}

	@CompilerControl(CompilerControl.Mode.DONT_INLINE)
	private static long most(long x) {
		return work(x, 970);
	}

	@CompilerControl(CompilerControl.Mode.DONT_INLINE)
	private static long least(long x) {
		return work(x, 30);
	}

	@CompilerControl(CompilerControl.Mode.DONT_INLINE)
	private static long cheap(long x) {
		return x + 1;
	}

	@Benchmark
	public long inlined() {
		x = work(x, 600);
		x = work(x ^ 1, 300);
		return x;
	}

	@Benchmark
	public long called() {
		x = most(x);
		x = least(x ^ 1);
		return x;
	}

	@Benchmark
	public long cheapCall() {
		x = work(x, 800);
		x = cheap(x);
		return x;
	}

	@Benchmark
	public long walk() {
		long sum = x;
		for (Node at = first; at != null; at = at.next) {
			sum = sum * 31 + 7;
		}
		x = sum;
		return sum;
	}
}
