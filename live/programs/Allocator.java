/** Of its bytes nodes are 24 * 3 and arrays 80 for each four objects; most of its time allocates nothing. */
public class Allocator {
	static final Object[] kept = new Object[1024];
	static volatile long result;

	static final class Node {
		Object next;
		int value;

		Node(Object next, int value) {
			this.next = next;
			this.value = value;
		}
	}

	static void nodes(int count) {
		for (int i = 0; i < count; i++) {
			kept[i & 1023] = new Node(null, i);
		}
	}

	static void arrays(int count) {
		for (int i = 0; i < count; i++) {
			kept[i & 1023] = new int[16];
		}
	}

	static long spin(int count) {
		long sum = 0;
		for (int i = 1; i < count; i++) {
			sum += (sum ^ i) / i;
		}
		return sum;
	}

	public static void main(String[] arguments) {
		long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000;
		while (System.nanoTime() < end) {
			nodes(30_000);
			arrays(10_000);
			result = spin(100_000);
		}
	}
}
