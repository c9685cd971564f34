import java.nio.file.*;

/** Unpacks a library into a file of its own, as those of Maven do, loads it, and deletes it: at once, or when it ends. */
public class Held {
	static native long work(int rounds);

	public static void main(String[] args) throws Exception {
		Path copy = Files.createTempFile("unpacked", ".so");
		Files.copy(Path.of(args[0]), copy, StandardCopyOption.REPLACE_EXISTING);
		System.load(copy.toString());
		if (args[1].equals("at-once")) {
			Files.delete(copy);
		} else {
			copy.toFile().deleteOnExit();
		}
		long end = System.nanoTime() + 2_000_000_000L;
		long sum = 0;
		while (System.nanoTime() < end) {
			sum += work(100_000);
		}
		System.out.println(sum);
	}
}
