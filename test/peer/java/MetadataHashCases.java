import com.dynatrace.hash4j.hashing.Hashing;
import java.util.*;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetadataDelta;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetadataImage;
import org.apache.kafka.coordinator.group.Utils;

/**
 * Asks Apache Kafka 4.4.0 for the hashes that groups keep of their topics, and prints a line of JSON a group of topics that come by chance:
 *
 *   java -cp "$KAFKA_LIB/*" test/peer/java/MetadataHashCases.java SEED GROUPS | gzip -9n > test/golden/coordinator/metadata-hashes.jsonl.gz
 *
 * A topic has a name, an id, the racks of the replicas of each partition, and its hash. The first line has the plain hashes of the bytes 0, 1, … of
 * every length up to 600 and of some more.
 */
public final class MetadataHashCases {
    record Topic(String name, Uuid id, List<List<String>> racks) implements CoordinatorMetadataImage.TopicMetadata {
        public int partitionCount() {
            return racks.size();
        }

        public List<String> partitionRacks(int partition) {
            return new ArrayList<>(racks.get(partition));
        }
    }

    record Image(Topic topic) implements CoordinatorMetadataImage {
        public Set<Uuid> topicIds() {
            return Set.of(topic.id());
        }

        public Set<String> topicNames() {
            return Set.of(topic.name());
        }

        public Optional<CoordinatorMetadataImage.TopicMetadata> topicMetadata(String name) {
            return Optional.of(topic);
        }

        public Optional<CoordinatorMetadataImage.TopicMetadata> topicMetadata(Uuid id) {
            return Optional.of(topic);
        }

        public CoordinatorMetadataDelta emptyDelta() {
            throw new UnsupportedOperationException();
        }

        public long version() {
            return 0;
        }

        public boolean isEmpty() {
            return false;
        }
    }

    static Topic topic(Random random) {
        StringBuilder name = new StringBuilder();
        int length = 1 + random.nextInt(random.nextInt(8) == 0 ? 249 : 20);
        for (int index = 0; index < length; index++) name.append("abcXYZ019._-".charAt(random.nextInt(12)));
        int partitions = random.nextInt(6) == 0 ? random.nextInt(300) : 1 + random.nextInt(12);
        String[] known = {"a", "rack-1", "rack-2", "eu-west-1a", "", "B", "\u00e9\ud83d\ude00"};
        int racked = random.nextInt(3);
        List<List<String>> racks = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            List<String> ofPartition = new ArrayList<>();
            if (racked > 0) for (int replica = random.nextInt(4); replica > 0; replica--) ofPartition.add(known[random.nextInt(known.length)]);
            racks.add(ofPartition);
        }
        return new Topic(name.toString(), new Uuid(random.nextLong(), random.nextLong()), racks);
    }

    static String line(Random random) {
        Map<String, Long> hashes = new HashMap<>();
        List<String> topics = new ArrayList<>();
        for (int count = random.nextInt(6); count > 0; count--) {
            Topic topic = topic(random);
            long hash = Utils.computeTopicHash(topic.name(), new Image(topic));
            if (hashes.putIfAbsent(topic.name(), hash) != null) continue;
            List<String> racks = new ArrayList<>();
            for (List<String> ofPartition : topic.racks()) racks.add(ofPartition.isEmpty() ? "[]" : "[\"" + String.join("\",\"", ofPartition) + "\"]");
            topics.add("{\"name\":\"" + topic.name() + "\",\"id\":\"" + topic.id() + "\",\"racks\":[" + String.join(",", racks) + "],\"hash\":\"" + hash + "\"}");
        }
        return "{\"topics\":[" + String.join(",", topics) + "],\"hash\":\"" + Utils.computeGroupHash(hashes) + "\"}";
    }

    static String plainHashes() {
        List<String> hashes = new ArrayList<>();
        for (int length = 0; length < 20_000; length += length < 600 ? 1 : 997) {
            byte[] bytes = new byte[length];
            for (int index = 0; index < length; index++) bytes[index] = (byte) (index * 7 + (index >> 8));
            hashes.add("[" + length + ",\"" + Hashing.xxh3_64().hashBytesToLong(bytes) + "\"]");
        }
        for (int length : new int[] {1023, 1024, 1025, 2047, 2048, 2049, 1088, 1087, 1089}) {
            byte[] bytes = new byte[length];
            for (int index = 0; index < length; index++) bytes[index] = (byte) (index * 7 + (index >> 8));
            hashes.add("[" + length + ",\"" + Hashing.xxh3_64().hashBytesToLong(bytes) + "\"]");
        }
        return "{\"plain\":[" + String.join(",", hashes) + "]}";
    }

    public static void main(String[] arguments) throws Exception {
        Random random = new Random(Long.parseLong(arguments[0]));
        StringBuilder lines = new StringBuilder(plainHashes()).append('\n');
        for (int count = Integer.parseInt(arguments[1]); count > 0; count--) lines.append(line(random)).append('\n');
        System.out.write(lines.toString().getBytes("UTF-8"));
        System.out.flush();
    }
}
