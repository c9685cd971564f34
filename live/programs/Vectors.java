import java.util.SplittableRandom;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/**
 * Operations on vectors: C2 expands each in place after parsing, and then says of what optimizations make all over the code that it is the last of them. With
 * -XX:CompileCommand=dontinline the sums are code of their own.
 */
public class Vectors {
    static float dot(float[] a, float[] b) {
        var species = FloatVector.SPECIES_PREFERRED;
        var sum = FloatVector.zero(species);
        for (int i = 0; i < species.loopBound(a.length); i += species.length()) {
            sum = FloatVector.fromArray(species, a, i).fma(FloatVector.fromArray(species, b, i), sum);
        }
        return sum.reduceLanes(VectorOperators.ADD);
    }

    static long lines(byte[] text) {
        var species = ByteVector.SPECIES_PREFERRED;
        long count = 0;
        for (int i = 0; i < species.loopBound(text.length); i += species.length()) {
            count += ByteVector.fromArray(species, text, i).eq((byte) 10).trueCount();
        }
        return count;
    }

    public static void main(String[] args) {
        float[] a = new float[1 << 14];
        float[] b = new float[1 << 14];
        byte[] text = new byte[1 << 15];
        var random = new SplittableRandom(7);
        for (int i = 0; i < a.length; i++) {
            a[i] = (float) random.nextDouble();
            b[i] = (float) random.nextDouble();
        }
        random.nextBytes(text);
        double sum = 0;
        long end = System.currentTimeMillis() + Integer.parseInt(args[0]);
        while (System.currentTimeMillis() < end) {
            for (int i = 0; i < 100; i++) {
                sum += dot(a, b) + lines(text);
            }
        }
        System.out.println(sum);
    }
}
