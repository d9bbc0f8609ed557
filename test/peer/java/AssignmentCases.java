import java.util.*;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.GroupCoordinatorRecordHelpers;
import org.apache.kafka.coordinator.group.api.assignor.*;
import org.apache.kafka.coordinator.group.assignor.*;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupTargetAssignmentMemberValue;
import org.apache.kafka.coordinator.group.modern.*;

/**
 * Asks the assignors of Apache Kafka 4.4.0 what they make of groups that come by chance, round after round, and prints a line of JSON a group:
 *
 *   java -cp "$KAFKA_LIB/*" test/peer/java/AssignmentCases.java SEED GROUPS | gzip -9n > test/golden/coordinator/assignments.jsonl.gz
 *
 * A round is the members, the partition counts of the topics (-1: it does not exist), and either the records of the new target assignment that
 * Kafka would write, in its order, or the error. Members are [memberId, instanceId, rackId, topics, the member it replaces], topics are indices, and
 * partitions are texts such as "0-3,7".
 */
public final class AssignmentCases {
    record Member(String id, String instanceId, String rackId, List<Integer> topics, String replaces) {}

    static final class Group {
        final Random random;
        final boolean shortIds;
        final List<Uuid> topicIds = new ArrayList<>();
        final int[] counts;
        final List<Integer> commonTopics = new ArrayList<>();
        final boolean alike;
        final PartitionAssignor assignor;
        List<Member> members = new ArrayList<>();
        Map<String, Assignment> target = new HashMap<>();
        int named = 0;

        Group(long seed) {
            random = new Random(seed);
            shortIds = random.nextInt(3) == 0;
            int topics = 1 + random.nextInt(10);
            int partitionsMax = random.nextInt(10) == 0 ? 200 : 1 + random.nextInt(50);
            counts = new int[topics];
            for (int topic = 0; topic < topics; topic++) {
                topicIds.add(new Uuid(random.nextLong(), random.nextLong()));
                counts[topic] = random.nextInt(partitionsMax + 1);
            }
            if (random.nextInt(4) == 0) Arrays.fill(counts, counts[0]);
            alike = random.nextBoolean();
            commonTopics.addAll(someTopics());
            assignor = random.nextInt(4) == 0 ? new RangeAssignor() : new UniformAssignor();
            int size = random.nextInt(4) == 0 ? random.nextInt(31) : random.nextInt(9);
            for (int index = 0; index < size; index++) members.add(newMember());
        }

        List<Integer> someTopics() {
            List<Integer> all = new ArrayList<>();
            for (int topic = 0; topic < topicIds.size(); topic++) if (random.nextInt(3) > 0) all.add(topic);
            Collections.shuffle(all, random);
            return all;
        }

        String newId() {
            String text = shortIds ? "m" + named : new Uuid(random.nextLong(), random.nextLong()).toString();
            named++;
            return text;
        }

        Member newMember() {
            String instance = random.nextInt(3) == 0 ? "i" + random.nextInt(1000) + "-" + named : null;
            String rack = random.nextInt(3) == 0 ? null : "rack-" + random.nextInt(3);
            return new Member(newId(), instance, rack, alike ? commonTopics : someTopics(), null);
        }

        /** What may happen between two assignments. */
        void change() {
            List<Member> next = new ArrayList<>();
            for (Member member : members) {
                int dice = random.nextInt(12);
                if (dice == 0) continue;
                if (dice == 1 && member.instanceId() != null) {
                    next.add(new Member(newId(), member.instanceId(), member.rackId(), member.topics(), member.id()));
                } else if (dice == 2 && !alike) {
                    next.add(new Member(member.id(), member.instanceId(), member.rackId(), someTopics(), null));
                } else {
                    next.add(new Member(member.id(), member.instanceId(), member.rackId(), member.topics(), null));
                }
            }
            if (alike && random.nextInt(6) == 0) {
                commonTopics.clear();
                commonTopics.addAll(someTopics());
            }
            int joining = random.nextInt(3) == 0 ? random.nextInt(5) : 0;
            for (int index = 0; index < joining && next.size() < 30; index++) next.add(newMember());
            if (random.nextInt(3) == 0) Collections.shuffle(next, random);
            members = next;
            if (random.nextInt(4) == 0) {
                int topic = random.nextInt(counts.length);
                counts[topic] += random.nextInt(8);
            }
        }

        String line() {
            StringBuilder text = new StringBuilder("{\"assignor\":\"" + assignor.name() + "\",\"topicIds\":[");
            for (int topic = 0; topic < topicIds.size(); topic++) text.append(topic == 0 ? "" : ",").append('"').append(topicIds.get(topic)).append('"');
            text.append("],\"rounds\":[");
            int rounds = 2 + random.nextInt(5);
            for (int round = 0; round < rounds; round++) {
                if (round > 0) {
                    text.append(',');
                    change();
                }
                text.append(round());
            }
            return text.append("]}").toString();
        }

        String round() {
            int[] counted = counts.clone();
            if (random.nextInt(30) == 0) counted[random.nextInt(counted.length)] = -1;
            Map<String, MemberSubscriptionAndAssignmentImpl> specs = new HashMap<>();
            Map<String, Assignment> targets = new HashMap<>();
            Map<Uuid, Map<Integer, String>> inverted = new HashMap<>();
            Set<Set<Integer>> subscriptions = new HashSet<>();
            for (Member member : members) {
                Assignment current = target.get(member.replaces() == null ? member.id() : member.replaces());
                if (current != null) targets.put(member.id(), current);
                Set<Uuid> topics = new LinkedHashSet<>();
                for (int topic : member.topics()) topics.add(topicIds.get(topic));
                specs.put(member.id(), new MemberSubscriptionAndAssignmentImpl(Optional.ofNullable(member.rackId()),
                    Optional.ofNullable(member.instanceId()), topics, current == null ? Assignment.EMPTY : current));
                subscriptions.add(new HashSet<>(member.topics()));
                if (current == null) continue;
                current.partitions().forEach((topicId, partitions) -> partitions.forEach(partition ->
                    inverted.computeIfAbsent(topicId, id -> new HashMap<>()).put(partition, member.id())));
            }
            boolean homogeneous = subscriptions.size() <= 1 && random.nextInt(20) > 0;
            GroupSpecImpl spec = new GroupSpecImpl(Collections.unmodifiableMap(specs),
                homogeneous ? SubscriptionType.HOMOGENEOUS : SubscriptionType.HETEROGENEOUS, inverted);
            StringBuilder text = new StringBuilder("{\"isHomogeneous\":" + homogeneous + ",\"counts\":" + Arrays.toString(counted).replace(" ", "") + ",\"members\":[");
            for (Member member : members) {
                text.append(member == members.get(0) ? "" : ",").append('[').append(quoted(member.id())).append(',').append(quoted(member.instanceId())).append(',')
                    .append(quoted(member.rackId())).append(',').append(member.topics().toString().replace(" ", "")).append(',').append(quoted(member.replaces())).append(']');
            }
            text.append("],");
            try {
                GroupAssignment assignment = assignor.assign(spec, describer(counted));
                text.append("\"records\":[").append(String.join(",", records(specs.keySet(), targets, assignment))).append("]}");
                target = targets;
            } catch (PartitionAssignorException error) {
                target = targets;
                text.append("\"error\":").append(quoted(error.getMessage())).append('}');
            }
            return text.toString();
        }

        /** Writes what TargetAssignmentBuilder writes, and reads it as the group does. */
        List<String> records(Set<String> memberIds, Map<String, Assignment> targets, GroupAssignment assignment) {
            List<String> records = new ArrayList<>();
            for (String memberId : memberIds) {
                MemberAssignment given = assignment.members().get(memberId);
                Assignment next = given == null ? Assignment.EMPTY : new Assignment(given.partitions());
                if (next.equals(targets.get(memberId))) continue;
                ConsumerGroupTargetAssignmentMemberValue value = (ConsumerGroupTargetAssignmentMemberValue)
                    GroupCoordinatorRecordHelpers.newConsumerGroupTargetAssignmentRecord("g", memberId, next.partitions()).value().message();
                targets.put(memberId, Assignment.fromRecord(value));
                List<String> topics = new ArrayList<>();
                value.topicPartitions().forEach(topic ->
                    topics.add("[" + topicIds.indexOf(topic.topicId()) + "," + quoted(runs(topic.partitions())) + "]"));
                records.add("[" + quoted(memberId) + ",[" + String.join(",", topics) + "]]");
            }
            return records;
        }

        SubscribedTopicDescriber describer(int[] counted) {
            return new SubscribedTopicDescriber() {
                public int numPartitions(Uuid topicId) {
                    return counted[topicIds.indexOf(topicId)];
                }

                public Set<String> racksForPartition(Uuid topicId, int partition) {
                    return Set.of("rack-" + partition % 3);
                }
            };
        }
    }

    static String runs(List<Integer> numbers) {
        List<String> runs = new ArrayList<>();
        for (int start = 0; start < numbers.size(); ) {
            int end = start;
            while (end + 1 < numbers.size() && numbers.get(end + 1) == numbers.get(end) + 1) end++;
            runs.add(start == end ? "" + numbers.get(start) : numbers.get(start) + "-" + numbers.get(end));
            start = end + 1;
        }
        return String.join(",", runs);
    }

    static String quoted(String text) {
        return text == null ? "null" : '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    public static void main(String[] arguments) {
        long seed = Long.parseLong(arguments[0]);
        int groups = Integer.parseInt(arguments[1]);
        StringBuilder lines = new StringBuilder();
        for (int index = 0; index < groups; index++) lines.append(new Group(seed * 1_000_003 + index).line()).append('\n');
        System.out.print(lines);
    }
}
