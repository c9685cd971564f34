/**
 * Spends nearly all its time in one loop with an integer division, the rest in a loop with a virtual call of three receivers.
 * Arguments: milliseconds to run, exit status.
 */
public class HotLoop {
    interface Shape {
        int area(int i);
    }

    record Square(int side) implements Shape {
        public int area(int i) {
            return side * i;
        }
    }

    record Strip(int height) implements Shape {
        public int area(int i) {
            return height + i;
        }
    }

    record Dot() implements Shape {
        public int area(int i) {
            return i & 1;
        }
    }

    static long divide(int n, int divisor) {
        long sum = 0;
        for (int i = 1; i <= n; i++) {
            sum += (n - i) / (divisor + (i & 7));
        }
        return sum;
    }

    static long areas(Shape[] shapes, int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            sum += shapes[i % shapes.length].area(i);
        }
        return sum;
    }

    public static void main(String[] arguments) {
        long milliseconds = arguments.length > 0 ? Long.parseLong(arguments[0]) : 3000;
        long end = System.nanoTime() + milliseconds * 1_000_000;
        Shape[] shapes = {new Square(3), new Strip(4), new Dot()};
        System.out.println("begin");
        long sum = 0;
        while (System.nanoTime() < end) {
            sum += divide(2_000_000, 3) + areas(shapes, 50_000);
        }
        System.out.println(sum == 0 ? "nothing" : "done");
        if (arguments.length > 1) {
            System.exit(Integer.parseInt(arguments[1]));
        }
    }
}
