import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configsOf } from '../../src/metadata/image/configs-image.ts';
import { quotaEntityKey } from '../../src/metadata/image/client-quotas-image.ts';
import { scramCredentialOf } from '../../src/metadata/image/scram-image.ts';
import { MetadataDelta } from '../../src/metadata/metadata-delta.ts';
import { EMPTY_METADATA_IMAGE, type MetadataImage, recordsOfImage } from '../../src/metadata/metadata-image.ts';
import { type MetadataRecord, metadataRecord } from '../../src/metadata/metadata-record.ts';
import { imageFacts } from './image-facts.ts';

const provenance = { offset: 1, epoch: 1, timestamp: 1 };
const id = (number: number): string => `TopicTopicTopic${String(number).padStart(6, '0')}A`;

function after(
  base: MetadataImage,
  ...records: readonly MetadataRecord[]
): { readonly delta: MetadataDelta; readonly image: MetadataImage } {
  const delta = new MetadataDelta(base);
  for (const record of records) delta.replay(record);
  return { delta, image: delta.apply(provenance) };
}

const topic = (number: number): MetadataRecord =>
  metadataRecord('TopicRecord', 0, { name: `topic-${number}`, topicId: id(number) });

const partition = (number: number, index: number, leader = 1, replicas: readonly number[] = [1, 2]): MetadataRecord =>
  metadataRecord('PartitionRecord', 2, {
    partitionId: index,
    topicId: id(number),
    replicas,
    isr: replicas,
    removingReplicas: [],
    addingReplicas: [],
    leader,
    leaderEpoch: 0,
    partitionEpoch: 0,
    directories: replicas.map(() => id(900)),
  });

const change = (
  number: number,
  index: number,
  value: { leader?: number; isr?: readonly number[]; replicas?: readonly number[] },
): MetadataRecord => metadataRecord('PartitionChangeRecord', 2, { partitionId: index, topicId: id(number), ...value });

const twoTopics = after(EMPTY_METADATA_IMAGE, topic(1), partition(1, 0), partition(1, 1, 2), topic(2), partition(2, 0)).image;

test('a change of one partition leaves everything else of the image as it was, object for object', () => {
  const { image } = after(twoTopics, change(1, 1, { leader: 1 }));
  assert.equal(image.topics.byId.get(id(2)), twoTopics.topics.byId.get(id(2)));
  assert.equal(image.topics.byId.get(id(1))?.partitions[0], twoTopics.topics.byId.get(id(1))?.partitions[0]);
  assert.equal(image.cluster, twoTopics.cluster);
  assert.equal(image.configs, twoTopics.configs);
  assert.equal(image.topics.byName.get('topic-1'), image.topics.byId.get(id(1)));
  assert.equal(twoTopics.topics.byId.get(id(1))?.partitions[1]?.leader, 2, 'the image before is not touched');
});

test('a leader change counts the leader epoch and every change the partition epoch', () => {
  const { image } = after(twoTopics, change(1, 0, { leader: 2 }), change(1, 0, { isr: [2] }), change(1, 0, { leader: 2 }));
  const changed = image.topics.byId.get(id(1))?.partitions[0];
  assert.deepEqual([changed?.leader, changed?.leaderEpoch, changed?.partitionEpoch, changed?.isr], [2, 2, 3, [2]]);
});

test('a broker is told of the replicas it leads, follows and must delete', () => {
  const { delta } = after(
    twoTopics,
    change(1, 0, { leader: 2 }),
    change(1, 1, { replicas: [2], isr: [2] }),
    metadataRecord('RemoveTopicRecord', 0, { topicId: id(2) }),
    topic(3),
    partition(3, 0, 1, [1]),
  );
  const changes = delta.topics?.localChanges(1);
  assert.deepEqual(
    changes?.deletes.map(({ topic: name, partition: index, topicDeleted }) => [name, index, topicDeleted]),
    [
      ['topic-2', 0, true],
      ['topic-1', 1, false],
    ],
  );
  assert.deepEqual(
    changes?.leaders.map(({ topic: name, partition: index, before }) => [name, index, before]),
    [['topic-3', 0, undefined]],
  );
  assert.deepEqual(
    changes?.followers.map(({ topic: name, registration, before }) => [name, registration.leader, before?.leader]),
    [['topic-1', 2, 1]],
  );
});

test('a topic that is created again under its name in one change is another topic', () => {
  const { image, delta } = after(
    twoTopics,
    metadataRecord('ConfigRecord', 0, { resourceType: 2, resourceName: 'topic-2', name: 'retention.ms', value: '1' }),
    metadataRecord('RemoveTopicRecord', 0, { topicId: id(2) }),
    metadataRecord('TopicRecord', 0, { name: 'topic-2', topicId: id(7) }),
    partition(7, 0),
  );
  assert.equal(image.topics.byName.get('topic-2')?.id, id(7));
  assert.equal(image.topics.byId.get(id(2)), undefined);
  assert.deepEqual([...(delta.topics?.deletedTopics.keys() ?? [])], [id(2)]);
  assert.equal(configsOf(image.configs, { type: 'topic', name: 'topic-2' }).size, 0, 'the configs went with the topic');
});

test('a topic that comes and goes within one change leaves no trace', () => {
  const { image, delta } = after(
    twoTopics,
    topic(5),
    partition(5, 0),
    metadataRecord('RemoveTopicRecord', 0, { topicId: id(5) }),
  );
  assert.deepEqual(imageFacts(image), imageFacts(twoTopics));
  assert.equal(delta.topics?.deletedTopics.size, 0);
  assert.deepEqual(delta.topics?.localChanges(1), { deletes: [], leaders: [], followers: [] });
});

test('the registration of a broker follows changes of its own epoch only', () => {
  const register = metadataRecord('RegisterBrokerRecord', 4, {
    brokerId: 1,
    incarnationId: id(1),
    brokerEpoch: 10,
    endPoints: [{ name: 'PLAINTEXT', host: 'h', port: 1, securityProtocol: 0 }],
    features: [],
    rack: 'r',
    logDirs: [id(8), id(9)],
  });
  const of = (
    brokerEpoch: number,
    value: { fenced?: number; inControlledShutdown?: number; logDirs?: string[] },
  ): MetadataRecord => metadataRecord('BrokerRegistrationChangeRecord', 3, { brokerId: 1, brokerEpoch, ...value });
  const { image } = after(EMPTY_METADATA_IMAGE, register, of(10, { fenced: -1 }), of(9, { fenced: 1 }));
  assert.equal(image.cluster.brokers.get(1)?.fenced, false);
  const later = after(image, of(10, { inControlledShutdown: 1 }), of(10, { logDirs: [id(8)] })).image.cluster.brokers.get(1);
  assert.deepEqual([later?.fenced, later?.inControlledShutdown, later?.logDirs], [false, true, [id(8)]]);
  const fenced = after(image, metadataRecord('FenceBrokerRecord', 0, { id: 1, epoch: 10 })).image;
  assert.equal(fenced.cluster.brokers.get(1)?.fenced, true);
  assert.equal(
    after(fenced, metadataRecord('UnregisterBrokerRecord', 0, { brokerId: 1, brokerEpoch: 10 })).image.cluster.brokers.size,
    0,
  );
});

const settings: readonly MetadataRecord[] = [
  metadataRecord('FeatureLevelRecord', 0, { name: 'metadata.version', featureLevel: 33 }),
  metadataRecord('FeatureLevelRecord', 0, { name: 'eligible.leader.replicas.version', featureLevel: 1 }),
  metadataRecord('ConfigRecord', 0, { resourceType: 4, resourceName: '1', name: 'log.cleaner.threads', value: '2' }),
  metadataRecord('ClientQuotaRecord', 0, {
    entity: [
      { entityType: 'user', entityName: 'u' },
      { entityType: 'client-id', entityName: null },
    ],
    key: 'producer_byte_rate',
    value: 1.5,
    remove: false,
  }),
  metadataRecord('ProducerIdsRecord', 0, { brokerId: 1, brokerEpoch: 10, nextProducerId: 3000 }),
  metadataRecord('AccessControlEntryRecord', 0, {
    id: id(40),
    resourceType: 2,
    resourceName: 't',
    patternType: 3,
    principal: 'User:u',
    host: '*',
    operation: 3,
    permissionType: 3,
  }),
  metadataRecord('UserScramCredentialRecord', 0, {
    name: 'u',
    mechanism: 1,
    salt: new Uint8Array([1]),
    storedKey: new Uint8Array([2]),
    serverKey: new Uint8Array([3]),
    iterations: 4096,
  }),
  metadataRecord('DelegationTokenRecord', 0, {
    owner: 'User:u',
    requester: 'User:u',
    renewers: [],
    issueTimestamp: 1,
    maxTimestamp: 3,
    expirationTimestamp: 2,
    tokenId: 'token',
  }),
];

test('the records of an image make the same image, and a snapshot on top of another state leaves nothing of that', () => {
  const { image } = after(twoTopics, ...settings);
  const again = after(EMPTY_METADATA_IMAGE, ...recordsOfImage(image)).image;
  assert.deepEqual(imageFacts(again), imageFacts(image));
  const otherState = after(
    image,
    metadataRecord('RemoveTopicRecord', 0, { topicId: id(1) }),
    topic(8),
    partition(8, 0),
    metadataRecord('FeatureLevelRecord', 0, { name: 'group.version', featureLevel: 1 }),
    metadataRecord('ConfigRecord', 0, { resourceType: 2, resourceName: 'topic-8', name: 'retention.ms', value: '1' }),
    metadataRecord('RemoveDelegationTokenRecord', 0, { tokenId: 'token' }),
  ).image;
  const delta = new MetadataDelta(otherState);
  for (const record of recordsOfImage(image)) delta.replay(record);
  delta.finishSnapshot();
  assert.deepEqual(imageFacts(delta.apply(provenance)), imageFacts(image));
  assert.deepEqual([...(delta.topics?.deletedTopics.keys() ?? [])], [id(8)]);
  const emptied = new MetadataDelta(image);
  emptied.finishSnapshot();
  assert.deepEqual(imageFacts(emptied.apply(provenance)), []);
});

test('what is taken away is gone from the image', () => {
  const { image } = after(
    after(EMPTY_METADATA_IMAGE, ...settings).image,
    metadataRecord('FeatureLevelRecord', 0, { name: 'eligible.leader.replicas.version', featureLevel: 0 }),
    metadataRecord('ConfigRecord', 0, { resourceType: 4, resourceName: '1', name: 'log.cleaner.threads', value: null }),
    metadataRecord('ClientQuotaRecord', 0, {
      entity: [
        { entityType: 'client-id', entityName: null },
        { entityType: 'user', entityName: 'u' },
      ],
      key: 'producer_byte_rate',
      value: 0,
      remove: true,
    }),
    metadataRecord('RemoveAccessControlEntryRecord', 0, { id: id(40) }),
    metadataRecord('RemoveUserScramCredentialRecord', 0, { name: 'u', mechanism: 1 }),
    metadataRecord('RemoveDelegationTokenRecord', 0, { tokenId: 'token' }),
  );
  assert.deepEqual([...image.features.finalized.keys()], ['metadata.version']);
  assert.equal(image.configs.resources.size, 0);
  assert.equal(image.clientQuotas.entities.size, 0);
  assert.equal(image.acls.entries.size, 0);
  assert.equal(scramCredentialOf(image.scram, 1, 'u'), undefined);
  assert.equal(image.delegationTokens.tokens.size, 0);
});

test('an entity of quotas is the same in whatever order its parts come', () => {
  const one = new Map([
    ['user', 'u'],
    ['client-id', null],
  ]);
  const other = new Map([...one].reverse());
  assert.equal(quotaEntityKey(one), quotaEntityKey(other));
  assert.notEqual(quotaEntityKey(one), quotaEntityKey(new Map([['user', 'u']])));
});

test('eligible leader replicas can be forgotten for one topic or for all', () => {
  const withElr = (number: number): MetadataRecord =>
    metadataRecord('PartitionChangeRecord', 2, {
      partitionId: 0,
      topicId: id(number),
      eligibleLeaderReplicas: [2],
      lastKnownElr: [1],
    });
  const { image } = after(twoTopics, withElr(1), withElr(2));
  const one = after(image, metadataRecord('ClearElrRecord', 0, { topicName: 'topic-1' })).image;
  assert.deepEqual(
    [1, 2].map((number) => one.topics.byId.get(id(number))?.partitions[0]?.elr),
    [[], [2]],
  );
  const all = after(image, metadataRecord('ClearElrRecord', 0, { topicName: '' }));
  assert.deepEqual(
    [1, 2].map((number) => all.image.topics.byId.get(id(number))?.partitions[0]?.lastKnownElr),
    [[], []],
  );
  assert.equal(all.image.topics.byId.get(id(1))?.partitions[0]?.partitionEpoch, 2);
  const none = after(twoTopics, metadataRecord('ClearElrRecord', 0, { topicName: '' }));
  assert.equal(none.image.topics.byId.get(id(1)), twoTopics.topics.byId.get(id(1)));
});
