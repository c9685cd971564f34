import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Books, sums and sorts made-up payments: calls through interfaces, strings, maps and sorting, which JDKs compile differently. Argument: milliseconds. */
public class Ledger {
    interface Fee {
        long of(long amount);
    }

    record Payment(String account, long amount, Fee fee) {
    }

    private final Map<String, Long> balances = new HashMap<>();
    private final List<Payment> payments = new ArrayList<>();

    void book(int count, long seed) {
        Fee[] fees = {amount -> amount / 100, amount -> 25, amount -> Math.max(10, amount >> 6)};
        long x = seed;
        for (int i = 0; i < count; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
            int account = (int) (x >>> 54);
            payments.add(new Payment(name(account), (x >>> 20) % 10_000, fees[(int) (x >>> 62) % fees.length]));
        }
    }

    private static String name(int account) {
        StringBuilder name = new StringBuilder("account ");
        for (int rest = account; rest > 0; rest /= 7) {
            name.append((char) ('a' + rest % 7));
        }
        return name.toString();
    }

    long settle() {
        for (Payment payment : payments) {
            balances.merge(payment.account(), payment.amount() - payment.fee().of(payment.amount()), Long::sum);
        }
        payments.sort(Comparator.comparingLong(Payment::amount).thenComparing(Payment::account));
        long check = 0;
        for (int i = 0; i < payments.size(); i++) {
            check = check * 31 + payments.get(i).amount() + payments.get(i).account().hashCode();
        }
        payments.clear();
        return check + balances.size();
    }

    public static void main(String[] arguments) {
        long end = System.nanoTime() + (arguments.length > 0 ? Long.parseLong(arguments[0]) : 3000) * 1_000_000;
        long check = 0;
        Ledger ledger = new Ledger();
        for (int round = 1; System.nanoTime() < end; round++) {
            ledger.book(20_000, round);
            check ^= ledger.settle();
        }
        System.out.println(check == 0 ? "nothing" : "settled");
    }
}
