/** Starts a JVM for its work, as runners of tests and batches do, and waits for it. */
public class Forker {
	public static void main(String[] args) throws Exception {
		String java = System.getProperty("java.home") + "/bin/java";
		System.exit(new ProcessBuilder(java, "-cp", ".", "HotLoop", args[0], "0").inheritIO().start().waitFor());
	}
}
