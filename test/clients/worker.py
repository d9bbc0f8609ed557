"""confluent-kafka behind the line protocol of worker.mjs: python worker.py BROKER."""

import json
import sys
import time

from confluent_kafka import Consumer, KafkaException, Producer

BROKER = sys.argv[1]
EXTRA_S = 1
opened = {}


def producer_of(transactional_id):
    producer = Producer({"bootstrap.servers": BROKER, "transactional.id": transactional_id})
    producer.init_transactions(30)
    return producer


def send(producer, topic, values):
    failures = []
    for value in values:
        producer.produce(topic, value, partition=0, on_delivery=lambda error, _: failures.append(error) if error else None)
    if producer.flush(30) or failures:
        raise KafkaException(failures[0] if failures else "not delivered")


def finish(producer, end):
    if end == "commit":
        producer.commit_transaction(30)
    else:
        producer.abort_transaction(30)


def consume(topic, group, count, extra, timeout_ms):
    consumer = Consumer({
        "bootstrap.servers": BROKER, "group.id": group, "auto.offset.reset": "earliest", "enable.auto.commit": False,
        "isolation.level": "read_committed",
    })
    consumer.subscribe([topic])
    found, deadline = [], time.time() + timeout_ms / 1000
    while time.time() < deadline:
        for message in consumer.consume(100, 0.2):
            if message.error():
                raise KafkaException(message.error())
            found.append(message.value().decode())
        if len(found) >= count and deadline > time.time() + extra:
            deadline = time.time() + extra
    if len(found) < count:
        raise RuntimeError(f"{len(found)} of {count} records came")
    return found, consumer


def transact(id, topic, values, end, **_):
    producer = producer_of(id)
    producer.begin_transaction()
    send(producer, topic, values)
    finish(producer, end)


def open_transaction(id, topic, values, **_):
    producer = opened[id] = producer_of(id)
    producer.begin_transaction()
    send(producer, topic, values)


def end_transaction(id, topic, values, end, **_):
    producer = opened.pop(id)
    send(producer, topic, values)
    finish(producer, end)


def copy(id, to, group, count, end, timeoutMs, **rest):
    producer = producer_of(id)
    values, consumer = consume(rest["from"], group, count, 0, timeoutMs)
    producer.begin_transaction()
    send(producer, to, [f"copy of {value}" for value in values])
    producer.send_offsets_to_transaction(consumer.position(consumer.assignment()), consumer.consumer_group_metadata())
    finish(producer, end)
    consumer.close()


def read(topic, group, count, timeoutMs):
    values, consumer = consume(topic, group, count, EXTRA_S, timeoutMs)
    consumer.close()
    return values


OPERATIONS = {"transact": transact, "open": open_transaction, "end": end_transaction, "copy": copy, "read": read}


def say(answer):
    print("@" + json.dumps(answer), flush=True)


say({"value": "ready"})
for line in sys.stdin:
    request = json.loads(line)
    try:
        say({"value": OPERATIONS[request.pop("op")](**request)})
    except Exception as error:
        say({"error": f"{type(error).__name__}: {error}"[:300]})
