import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Kafka's own clients behind the line protocol of worker.mjs: java Worker.java BROKER. */
public class Worker {
    static final long EXTRA_MS = 1000;
    static final Map<String, KafkaProducer<String, String>> opened = new HashMap<>();
    static String broker;

    static KafkaProducer<String, String> producerOf(String id) {
        Properties p = new Properties();
        p.put("bootstrap.servers", broker);
        p.put("transactional.id", id);
        KafkaProducer<String, String> producer = new KafkaProducer<>(p, new StringSerializer(), new StringSerializer());
        producer.initTransactions();
        return producer;
    }

    static void send(KafkaProducer<String, String> producer, String topic, List<String> values) throws Exception {
        for (String value : values) producer.send(new ProducerRecord<>(topic, 0, null, value)).get();
    }

    static void finish(KafkaProducer<String, String> producer, String end) {
        if (end.equals("commit")) producer.commitTransaction();
        else producer.abortTransaction();
        producer.close();
    }

    static KafkaConsumer<String, String> consumerOf(String topic, String group) {
        Properties p = new Properties();
        p.put("bootstrap.servers", broker);
        p.put("group.id", group);
        p.put("auto.offset.reset", "earliest");
        p.put("enable.auto.commit", "false");
        p.put("isolation.level", "read_committed");
        KafkaConsumer<String, String> consumer = new KafkaConsumer<>(p, new StringDeserializer(), new StringDeserializer());
        consumer.subscribe(List.of(topic));
        return consumer;
    }

    static List<ConsumerRecord<String, String>> poll(KafkaConsumer<String, String> consumer, int count, long extraMs, long timeoutMs) {
        List<ConsumerRecord<String, String>> found = new ArrayList<>();
        long deadline = System.currentTimeMillis() + timeoutMs;
        while (System.currentTimeMillis() < deadline) {
            consumer.poll(Duration.ofMillis(200)).forEach(found::add);
            if (found.size() >= count) deadline = Math.min(deadline, System.currentTimeMillis() + extraMs);
            if (found.size() >= count) extraMs = 0;
        }
        if (found.size() < count) throw new IllegalStateException(found.size() + " of " + count + " records came");
        return found;
    }

    static void copy(JsonNode request) throws Exception {
        try (KafkaProducer<String, String> producer = producerOf(text(request, "id"));
             KafkaConsumer<String, String> consumer = consumerOf(text(request, "from"), text(request, "group"))) {
            List<ConsumerRecord<String, String>> records = poll(consumer, number(request, "count"), 0, number(request, "timeoutMs"));
            producer.beginTransaction();
            send(producer, text(request, "to"), records.stream().map(record -> "copy of " + record.value()).toList());
            Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
            for (TopicPartition partition : consumer.assignment()) offsets.put(partition, new OffsetAndMetadata(consumer.position(partition)));
            producer.sendOffsetsToTransaction(offsets, consumer.groupMetadata());
            finish(producer, text(request, "end"));
        }
    }

    static Object answer(JsonNode request) throws Exception {
        String topic = text(request, "topic");
        List<String> values = new ArrayList<>();
        request.path("values").forEach(value -> values.add(value.asText()));
        switch (text(request, "op")) {
            case "transact", "open" -> {
                KafkaProducer<String, String> producer = producerOf(text(request, "id"));
                producer.beginTransaction();
                send(producer, topic, values);
                if (text(request, "op").equals("open")) opened.put(text(request, "id"), producer);
                else finish(producer, text(request, "end"));
            }
            case "end" -> {
                KafkaProducer<String, String> producer = opened.remove(text(request, "id"));
                try {
                    send(producer, topic, values);
                    finish(producer, text(request, "end"));
                } finally {
                    producer.close(Duration.ZERO);
                }
            }
            case "copy" -> copy(request);
            case "read" -> {
                try (KafkaConsumer<String, String> consumer = consumerOf(topic, text(request, "group"))) {
                    return poll(consumer, number(request, "count"), EXTRA_MS, number(request, "timeoutMs")).stream()
                        .map(ConsumerRecord::value).toList();
                }
            }
            default -> throw new IllegalArgumentException(request.toString());
        }
        return null;
    }

    static String text(JsonNode request, String field) {
        return request.path(field).asText();
    }

    static int number(JsonNode request, String field) {
        return request.path(field).asInt();
    }

    public static void main(String[] args) throws Exception {
        broker = args[0];
        ObjectMapper json = new ObjectMapper();
        System.out.println("@{\"value\":\"ready\"}");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Map<String, Object> told = new HashMap<>();
            try {
                told.put("value", answer(json.readTree(line)));
            } catch (Exception error) {
                Throwable cause = error.getCause() == null ? error : error.getCause();
                told.put("error", cause.getClass().getSimpleName() + ": " + cause.getMessage());
            }
            System.out.println("@" + json.writeValueAsString(told));
        }
        System.exit(0);
    }
}
