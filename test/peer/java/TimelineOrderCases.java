import java.util.*;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.internals.LogContext;
import org.apache.kafka.timeline.SnapshotRegistry;
import org.apache.kafka.timeline.TimelineHashMap;

/**
 * Puts member ids that come by chance into a TimelineHashMap of Apache Kafka 4.4.0, and prints a line of JSON each: [ids, the order of the map].
 *
 *   java -cp "$KAFKA_LIB/*" test/peer/java/TimelineOrderCases.java SEED LISTS | gzip -9n > test/golden/coordinator/timeline-order.jsonl.gz
 */
public final class TimelineOrderCases {
    public static void main(String[] arguments) {
        Random random = new Random(Long.parseLong(arguments[0]));
        StringBuilder lines = new StringBuilder();
        for (int count = Integer.parseInt(arguments[1]); count > 0; count--) {
            TimelineHashMap<String, Integer> map = new TimelineHashMap<>(new SnapshotRegistry(new LogContext()), 0);
            boolean isShort = random.nextBoolean();
            List<String> ids = new ArrayList<>();
            for (int size = random.nextInt(40); size > 0; size--) {
                String id = isShort ? "m" + size : new Uuid(random.nextLong(), random.nextLong()).toString();
                ids.add(id);
                map.put(id, size);
            }
            lines.append("[" + quoted(ids) + "," + quoted(map.keySet()) + "]\n");
        }
        System.out.print(lines);
    }

    static String quoted(Collection<String> texts) {
        return texts.isEmpty() ? "[]" : "[\"" + String.join("\",\"", texts) + "\"]";
    }
}
