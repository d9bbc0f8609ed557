import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import * as net from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import * as tls from 'node:tls';
import { fileURLToPath } from 'node:url';
import type { LogFacts } from '../../src/base/logger.ts';
import { codeOf } from '../../src/protocol/errors.ts';
import { encodeRequest } from '../../src/protocol/header.ts';
import { apiVersions } from '../../src/protocol/messages/18-api-versions.ts';
import { incrementalAlterConfigs } from '../../src/protocol/messages/44-incremental-alter-configs.ts';
import { WireClient } from '../conformance/wire-client.ts';
import { untilReal } from '../network/worlds.ts';
import { RecordingLogger } from './recording-logger.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { startTestNode, type TestNode, withController } from './test-node.ts';

const pathOf = (name: string): string => fileURLToPath(new URL(`../golden/tls/${name}`, import.meta.url));
const golden = (name: string): string => readFileSync(pathOf(name), 'utf8');
const chain = golden('certificate.pem');
const key = golden('key.pem');
const inline = { 'ssl.keystore.type': 'PEM', 'ssl.keystore.key': key, 'ssl.keystore.certificate.chain': chain };
const listeners = 'PLAINTEXT://127.0.0.1:0,SSL://127.0.0.1:0';
const request = encodeRequest(
  apiVersions,
  0,
  { correlationId: 7, clientId: 'probe' },
  { clientSoftwareName: '', clientSoftwareVersion: '' },
);

const tlsPort = ({ node }: TestNode): number => node.listeners.find(({ name }) => name === 'SSL')?.port ?? 0;

/** Asks for ApiVersions; whether an answer came, and whose certificate was shown. */
function ask(
  port: number,
  options: tls.ConnectionOptions = {},
): Promise<{ readonly isAnswered: boolean; readonly shown: string }> {
  return new Promise((resolve) => {
    const socket = tls.connect({ port, host: '127.0.0.1', ca: chain, servername: 'localhost', ...options });
    let answer = { isAnswered: false, shown: '' };
    socket.on('secureConnect', () => socket.write(request));
    socket.on('data', () => {
      answer = { isAnswered: true, shown: socket.getPeerX509Certificate()?.fingerprint256 ?? '' };
      socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });
}

/** Sets a config of the broker and gives code and message of the answer. */
async function alter(
  client: WireClient,
  name: string,
  value: string,
): Promise<readonly [number | undefined, string | null | undefined]> {
  const resources = [{ resourceType: 4, resourceName: '1', configs: [{ name, configOperation: 0, value }] }];
  const { responses } = await client.ask(incrementalAlterConfigs, 1, { resources, validateOnly: false });
  return [responses[0]?.errorCode, responses[0]?.errorMessage];
}

async function start(t: TestContext, properties: Readonly<Record<string, string>>, logger?: RecordingLogger): Promise<TestNode> {
  const node = await startTestNode({ properties: { listeners, ...properties }, ...(logger === undefined ? {} : { logger }) });
  t.after(() => node.stop());
  return node;
}

/** Keeps the facts of each request. */
class RequestRecorder extends RecordingLogger {
  override readonly isDebugEnabled = true;

  get requests(): LogFacts[] {
    return this.lines.filter(({ message }) => message === 'Completed request').map(({ facts }) => facts);
  }
}

describe('a listener with TLS', () => {
  const directoryOf = (t: TestContext): string => temporaryDirectory(t);

  it('takes keys and certificates of every form that Kafka has for PEM, and PKCS12', async (t) => {
    const store = join(directoryOf(t), 'store.pem');
    writeFileSync(store, `Bag Attributes\n  friendlyName: x\n${key}\nsubject=CN = localhost\n${chain}`);
    const encrypted = golden('encrypted-key.pem');
    const oneLine = (text: string): string => text.replaceAll('\n', ' ');
    const forms: Record<string, string>[] = [
      { 'ssl.keystore.type': 'PEM', 'ssl.keystore.location': store },
      inline,
      { ...inline, 'ssl.keystore.key': oneLine(key), 'ssl.keystore.certificate.chain': oneLine(chain) },
      { ...inline, 'ssl.keystore.key': encrypted, 'ssl.key.password': 'secret' },
      { 'ssl.keystore.type': 'PKCS12', 'ssl.keystore.location': pathOf('store.p12'), 'ssl.keystore.password': 'secret' },
      { 'listener.name.ssl.ssl.keystore.type': 'PEM', 'listener.name.ssl.ssl.keystore.location': store },
      { ...inline, 'ssl.keystore.key': 'nothing', 'listener.name.ssl.ssl.keystore.key': key },
    ];
    for (const properties of forms) {
      const node = await startTestNode({ properties: { listeners, ...properties } });
      assert.equal((await ask(tlsPort(node))).isAnswered, true, Object.keys(properties).join());
      await node.stop();
    }
  });

  it('knows clients by the subject of their certificates, and the others not', async (t) => {
    const logger = new RequestRecorder();
    const trust = { 'ssl.truststore.type': 'PEM', 'ssl.truststore.location': pathOf('authority.pem') };
    const node = await start(t, { ...inline, ...trust, 'ssl.client.auth': 'requested' }, logger);
    await ask(tlsPort(node));
    await ask(tlsPort(node), { cert: golden('client.pem'), key: golden('client-key.pem') });
    assert.equal((await ask(tlsPort(node), { cert: golden('stranger.pem'), key: golden('stranger-key.pem') })).isAnswered, false);
    await untilReal(() => logger.requests.length === 2);
    assert.deepEqual(
      logger.requests.map(({ principal, securityProtocol, listener }) => [principal, securityProtocol, listener]),
      [
        ['User:ANONYMOUS', 'SSL', 'SSL'],
        ['User:CN=alice,OU=tests,O=Ottla\\, Inc.,C=CZ', 'SSL', 'SSL'],
      ],
    );
  });

  it('lets nobody in without a certificate where one is required of this listener', async (t) => {
    const trust = { 'ssl.truststore.type': 'PEM', 'ssl.truststore.certificates': golden('authority.pem') };
    const node = await start(t, { ...inline, ...trust, 'listener.name.ssl.ssl.client.auth': 'required' });
    assert.equal((await ask(tlsPort(node))).isAnswered, false);
    const alice = { cert: golden('client.pem'), key: golden('client-key.pem') };
    assert.equal((await ask(tlsPort(node), alice)).isAnswered, true);
  });

  it('may be the only one of a broker and the only one of its controller', async (t) => {
    const properties = {
      ...withController,
      ...inline,
      listeners: 'SSL://127.0.0.1:0,CONTROLLER://127.0.0.1:0',
      'security.inter.broker.protocol': 'SSL',
      'listener.security.protocol.map': 'SSL:SSL,CONTROLLER:SSL',
    };
    const node = await start(t, properties);
    assert.equal((await ask(tlsPort(node))).isAnswered, true);
    assert.equal((await ask(node.controllerPort)).isAnswered, true);
  });

  it('counts connections from their first moment, and sends away who speaks no TLS', async (t) => {
    const node = await start(t, { ...inline, 'max.connections.per.ip': '2' });
    const silent = [net.connect(tlsPort(node), '127.0.0.1'), net.connect(tlsPort(node), '127.0.0.1')];
    const name = 'kafka.server:type=socket-server-metrics,listener=SSL,name=connection-count';
    const count = (): number | undefined => node.metrics.gauges.get(name)?.();
    await untilReal(() => count() === 2);
    assert.equal((await ask(tlsPort(node))).isAnswered, false);
    silent[0]?.write('GET / HTTP/1.0\r\n\r\n');
    await untilReal(() => count() === 1);
    assert.equal((await ask(tlsPort(node))).isAnswered, true);
    for (const socket of silent) socket.destroy();
  });

  it('has a new certificate when the config of the listener changes, and keeps the old one if the new one is broken', async (t) => {
    const logger = new RecordingLogger();
    const store = join(directoryOf(t), 'store.pem');
    writeFileSync(store, key + chain);
    const node = await start(t, { 'ssl.keystore.type': 'PEM', 'ssl.keystore.location': store }, logger);
    const before = await ask(tlsPort(node));
    const client = await WireClient.open(node.port);
    const touch = async (name: string, value: string): Promise<void> => {
      assert.deepEqual(await alter(client, name, value), [0, null]);
    };
    writeFileSync(store, golden('stranger-key.pem') + golden('stranger.pem'));
    await touch('listener.name.ssl.ssl.keystore.location', store);
    await untilReal(() => logger.at('info').includes('A listener has new TLS configs'));
    const after = await ask(tlsPort(node), { ca: golden('stranger.pem') });
    assert.equal(after.isAnswered, true);
    assert.notEqual(after.shown, before.shown);
    writeFileSync(store, golden('stranger.pem'));
    await touch('listener.name.ssl.max.connections', '100');
    await untilReal(() => logger.at('error').length === 1);
    assert.match(String(logger.lines.find(({ level }) => level === 'error')?.facts['error']), /No matching PRIVATE KEY/);
    assert.equal((await ask(tlsPort(node), { ca: golden('stranger.pem') })).shown, after.shown);
    client.close();
  });
});

describe('a change of the TLS configs of a listener', () => {
  it('to keys and certificates that cannot be read is refused, as Kafka refuses it', async (t) => {
    const node = await start(t, { ...inline, 'ssl.client.auth': 'requested' });
    const client = await WireClient.open(node.port);
    t.after(() => client.close());
    const refused: readonly (readonly [name: string, value: string, reason: RegExp])[] = [
      ['ssl.keystore.location', '/nowhere.pem', /Both SSL key store location and separate private key/],
      ['ssl.keystore.key', 'nothing', /No matching PRIVATE KEY entries/],
      ['ssl.keystore.type', 'JKS', /only for PEM, but key store type is JKS/],
      ['ssl.truststore.location', '/nowhere.pem', /Trust stores of type JKS are not read here/],
    ];
    for (const [name, value, reason] of refused) {
      const [code, message] = await alter(client, `listener.name.ssl.${name}`, value);
      assert.equal(code, codeOf('INVALID_REQUEST'), name);
      assert.match(message ?? '', /^Validation of dynamic config update of SSLFactory failed: Listener SSL: /);
      assert.match(message ?? '', reason);
    }
    assert.deepEqual(await alter(client, 'listener.name.other.ssl.keystore.location', '/nowhere.pem'), [0, null]);
    assert.equal((await ask(tlsPort(node))).isAnswered, true);
  });
});

describe('a listener with TLS is refused', () => {
  const file = pathOf('certificate.pem');
  const pem = { 'ssl.keystore.type': 'PEM' };
  const refusals: readonly (readonly [what: string, properties: Readonly<Record<string, string>>, message: RegExp])[] = [
    ['without a key store', {}, /Listener SSL: TLS needs a certificate, and no key store is given/],
    [
      'with a store that is not there',
      { ...pem, 'ssl.keystore.location': '/none.pem' },
      /Failed to load PEM SSL keystore \/none\.pem/,
    ],
    ['with a store without a key', { ...pem, 'ssl.keystore.location': file }, /No matching PRIVATE KEY entries in PEM file/],
    ['with a password for a store of PEM', { ...inline, 'ssl.keystore.password': 'x' }, /only key password may be specified/],
    ['with two stores', { ...inline, 'ssl.keystore.location': file }, /Both SSL key store location and separate private key are/],
    ['with a key alone', { ...pem, 'ssl.keystore.key': key }, /private key is specified, but certificate chain is not/],
    ['with a chain alone', { ...pem, 'ssl.keystore.certificate.chain': chain }, /chain is specified, but private key is not/],
    ['with PEM in a store of Java', { ...inline, 'ssl.keystore.type': 'JKS' }, /only for PEM, but key store type is JKS/],
    ['with a store of Java', { 'ssl.keystore.location': file, 'ssl.keystore.password': 'x' }, /keytool -importkeystore/],
    ['with a store without its password', { 'ssl.keystore.location': file }, /key store password is not specified/],
    [
      'with a trust store of Java',
      { ...inline, 'ssl.client.auth': 'required', 'ssl.truststore.location': file },
      /Trust stores of type JKS are not read here.*keytool -list -rfc/,
    ],
    [
      'with nobody in its trust store',
      { ...inline, 'ssl.client.auth': 'required', 'ssl.truststore.type': 'PEM', 'ssl.truststore.certificates': 'x' },
      /No matching CERTIFICATE entries/,
    ],
    ['with old versions only', { ...inline, 'ssl.enabled.protocols': 'TLSv1.1' }, /None of ssl\.enabled\.protocols=TLSv1\.1/],
    ['with a protocol that is none', { ...inline, 'ssl.protocol': 'TLSv9' }, /TLSv9 SSLContext not available/],
    [
      'with rules for names',
      { ...inline, 'ssl.principal.mapping.rules': 'RULE:^CN=(.*)$/$1/' },
      /mapping\.rules.*not served yet/,
    ],
    [
      'with a key of somebody else',
      { ...inline, 'ssl.keystore.key': golden('client-key.pem') },
      /private key is not that of the/,
    ],
    ['with an encrypted key alone', { ...inline, 'ssl.keystore.key': golden('encrypted-key.pem') }, /no password is given/],
  ];
  for (const [what, properties, message] of refusals) {
    it(`${what}, with the reason`, async (t) => {
      const started = startTestNode({ directory: temporaryDirectory(t), properties: { listeners, ...properties } });
      await assert.rejects(started, message);
    });
  }
});
