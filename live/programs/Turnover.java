import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntUnaryOperator;

/** Defines classes, has their methods compiled, and drops them, on two threads: code comes and goes all the time. Arguments: milliseconds. */
public class Turnover {
	/** Defined anew again and again: as hidden classes and in class loaders of their own. */
	public static class Work implements IntUnaryOperator {
		@Override
		public int applyAsInt(int n) {
			int result = 7;
			for (int i = 0; i < n; i++) {
				result = result * 31 + helper(i);
			}
			return result;
		}

		private int helper(int i) {
			return i % 3 == 0 ? i : -i;
		}
	}

	static final class Loader extends ClassLoader {
		Class<?> define(byte[] bytes) {
			return defineClass("Turnover$Work", bytes, 0, bytes.length);
		}
	}

	static int run(byte[] bytes, boolean isHidden) throws Exception {
		Class<?> defined = isHidden ? MethodHandles.lookup().defineHiddenClass(bytes, true).lookupClass() : new Loader().define(bytes);
		Object work = defined.getDeclaredConstructor().newInstance();
		Method method = defined.getMethod("applyAsInt", int.class);
		int result = 0;
		for (int i = 0; i < 300; i++) {
			result += (int) method.invoke(work, 2_000);
		}
		return result;
	}

	public static void main(String[] arguments) throws Exception {
		long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000L;
		byte[] bytes = Turnover.class.getResourceAsStream("Turnover$Work.class").readAllBytes();
		Runnable turn = () -> {
			int sum = 0;
			int rounds = 0;
			while (System.nanoTime() < end) {
				try {
					sum += run(bytes, rounds % 2 == 0);
				} catch (Exception e) {
					throw new IllegalStateException(e);
				}
				if (++rounds % 40 == 0) {
					System.gc();
				}
			}
			System.err.println(rounds + " rounds, " + sum);
		};
		Thread other = new Thread(turn);
		other.start();
		turn.run();
		other.join();
		System.out.println("done");
	}
}
