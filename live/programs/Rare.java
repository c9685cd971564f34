/** A call that is made seldom, from code that is hot by its loop: JDK 17 refuses calls that were made fewer than 250 times, later ones go by how often the caller was entered. */
public class Rare {
	static int small(int x) {
		return (x & 64) == 0 ? x * 31 + 7 : x ^ (x >>> 5);
	}

	static int work(int n) {
		int sum = 0;
		for (int i = 0; i < n; i++) {
			sum = sum * 31 + (i ^ (sum >>> 3));
		}
		return small(sum);
	}

	public static void main(String[] args) {
		int check = 0;
		for (int i = 0; i < 150; i++) {
			check += work(4_000_000);
		}
		System.out.println(check);
	}
}
