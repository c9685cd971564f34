package demo;

import java.util.TreeMap;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** A benchmark whose set-up takes longer than what is measured. */
public class JmhSums {
	@State(Scope.Benchmark)
	public static class Numbers {
		@Param({"1000"})
		int size;
		int[] numbers;

		@Setup
		public void fill() {
			TreeMap<Integer, Integer> counts = new TreeMap<>();
			for (int i = 0; i < 4_000_000; i++) {
				counts.merge(i * 31 % 500_000, 1, Integer::sum);
			}
			numbers = new int[size];
			for (int i = 0; i < size; i++) {
				numbers[i] = counts.getOrDefault(i, 0) + i;
			}
		}
	}

	@Benchmark
	@Fork(2)
	@Warmup(iterations = 2, time = 1)
	@Measurement(iterations = 2, time = 1)
	public long sum(Numbers numbers) {
		long sum = 0;
		for (int number : numbers.numbers) {
			sum += number % 7;
		}
		return sum;
	}
}
