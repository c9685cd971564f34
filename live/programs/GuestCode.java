import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.Value;

/** Runs a function of JavaScript for so many milliseconds, which Truffle compiles. */
public class GuestCode {
	static final String PROGRAM =
		"(function longest(limit) {\n" +
		"  function collatz(n) { var steps = 0; while (n !== 1) { n = n % 2 === 0 ? n / 2 : 3 * n + 1; steps++; } return steps; }\n" +
		"  var most = 0;\n" +
		"  for (var n = 1; n < limit; n++) { most = Math.max(most, collatz(n)); }\n" +
		"  return most;\n" +
		"})";

	public static void main(String[] args) {
		try (Context context = Context.newBuilder("js").allowExperimentalOptions(true).build()) {
			Value longest = context.eval("js", PROGRAM);
			long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000;
			int most = 0;
			while (System.nanoTime() < end) {
				most = longest.execute(20_000).asInt();
			}
			System.out.println(most);
		}
	}
}
