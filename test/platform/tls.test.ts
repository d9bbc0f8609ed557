import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as net from 'node:net';
import { after, test } from 'node:test';
import * as tls from 'node:tls';
import { type Listener, type Socket, type TlsOptions, TlsOptionsError } from '../../src/base/network.ts';
import { nodeNetwork } from '../../src/platform/node-network.ts';

const bytes = (name: string): Buffer => readFileSync(new URL(`../golden/tls/${name}`, import.meta.url));
const golden = (name: string): string => bytes(name).toString('utf8');
const server: TlsOptions = { certificate: golden('certificate.pem'), key: golden('key.pem') };
const alice = { cert: golden('client.pem'), key: golden('client-key.pem') };
const stranger = { cert: golden('stranger.pem'), key: golden('stranger-key.pem') };

const listeners: Listener[] = [];
after(() => Promise.all(listeners.map((listener) => listener.close())));

/** What the server saw of its only connection. */
interface Seen {
  socket: Socket | null;
  bytes: string;
  closed: Promise<Error | null>;
}

async function listen(options: TlsOptions): Promise<{ port: number; seen: Seen; listener: Listener }> {
  const ending = Promise.withResolvers<Error | null>();
  const seen: Seen = { socket: null, bytes: '', closed: ending.promise };
  const listener = await nodeNetwork.listen(
    { host: '127.0.0.1', port: 0 },
    {
      tls: options,
      accept: (socket) => {
        seen.socket = socket;
        socket.start({
          data: (chunk) => {
            seen.bytes += Buffer.from(chunk).toString();
            socket.write([Buffer.from(`for ${seen.bytes}`)]);
          },
          ended: () => socket.end(),
          drained: () => undefined,
          closed: ending.resolve,
        });
      },
    },
  );
  listeners.push(listener);
  return { port: listener.address.port, seen, listener };
}

interface Answer {
  readonly text: string;
  readonly protocol: string | null;
  readonly suite: string;
  readonly shown: string;
}

/** Says hello and gives the answer; '' if the connection ends without one. */
function ask(port: number, options: tls.ConnectionOptions = {}): Promise<Answer> {
  return new Promise((resolve) => {
    const socket = tls.connect({ port, host: '127.0.0.1', ca: golden('certificate.pem'), servername: 'localhost', ...options });
    let answer: Answer = { text: '', protocol: null, suite: '', shown: '' };
    socket.on('secureConnect', () => socket.write('hello'));
    socket.on('data', (chunk: Buffer) => {
      const { standardName } = socket.getCipher();
      const shown = socket.getPeerX509Certificate()?.fingerprint256 ?? '';
      answer = { text: chunk.toString(), protocol: socket.getProtocol(), suite: standardName, shown };
      socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });
}

test('a client that is not asked for a certificate has none', async () => {
  const { port, seen } = await listen(server);
  assert.deepEqual(await ask(port, alice).then(({ text, protocol }) => [text, protocol]), ['for hello', 'TLSv1.3']);
  assert.equal(seen.socket?.peerCertificate, null);
});

for (const clientAuth of ['requested', 'required'] as const) {
  const options: TlsOptions = { ...server, clientAuth, authorities: golden('authority.pem') };
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const spoken = { minVersion: version, maxVersion: version };
    test(`a client with a certificate of the authority is known where one is ${clientAuth} (${version})`, async () => {
      const { port, seen } = await listen(options);
      assert.equal((await ask(port, { ...alice, ...spoken })).text, 'for hello');
      assert.deepEqual(Buffer.from(seen.socket?.peerCertificate ?? []), new X509Certificate(alice.cert).raw);
    });

    test(`a client with a certificate of somebody else is sent away where one is ${clientAuth} (${version})`, async () => {
      const { port, seen } = await listen(options);
      assert.equal((await ask(port, { ...stranger, ...spoken })).text, '');
      assert.match(String(await seen.closed), /shows no certificate that is believed/);
      assert.deepEqual([seen.bytes, seen.socket?.peerCertificate], ['', null]);
    });

    test(`a client without a certificate is ${clientAuth === 'required' ? 'sent away' : 'nobody'} where one is ${clientAuth} (${version})`, async () => {
      const { port, seen } = await listen(options);
      assert.equal((await ask(port, spoken)).text, clientAuth === 'required' ? '' : 'for hello');
      assert.equal(seen.socket?.peerCertificate, null);
    });
  }
}

test('a session that is taken up again keeps the certificate of its client', async () => {
  const { port, seen } = await listen({ ...server, clientAuth: 'required', authorities: golden('authority.pem') });
  const first = tls.connect({ port, host: '127.0.0.1', ca: golden('certificate.pem'), servername: 'localhost', ...alice });
  const session = await new Promise<Buffer>((resolve) => {
    first.once('session', resolve);
    first.once('secureConnect', () => first.write('x'));
  });
  first.destroy();
  await seen.closed;
  seen.bytes = '';
  assert.equal((await ask(port, { ...alice, session })).text, 'for hello');
  assert.deepEqual(Buffer.from(seen.socket?.peerCertificate ?? []), new X509Certificate(alice.cert).raw);
});

test('only the versions and the cipher suites that are allowed are spoken, by the names of their standard', async () => {
  const older = await listen({ ...server, versions: ['TLSv1.2', 'TLSv1.2'] });
  assert.equal((await ask(older.port)).protocol, 'TLSv1.2');
  assert.equal((await ask(older.port, { minVersion: 'TLSv1.3' })).text, '');
  const newer = await listen({ ...server, versions: ['TLSv1.3', 'TLSv1.3'], cipherSuites: ['TLS_CHACHA20_POLY1305_SHA256'] });
  assert.deepEqual(await ask(newer.port).then(({ protocol, suite }) => [protocol, suite]), [
    'TLSv1.3',
    'TLS_CHACHA20_POLY1305_SHA256',
  ]);
  assert.equal((await ask(newer.port, { maxVersion: 'TLSv1.2' })).text, '');
  for (const suite of ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256', 'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256']) {
    const { port } = await listen({ ...server, cipherSuites: ['TLS_UNKNOWN', suite] });
    assert.equal((await ask(port)).suite, suite);
  }
});

test('the key may be encrypted, and key and certificate may lie in a PKCS#12 store', async () => {
  const { certificate } = server;
  const encrypted = await listen({ certificate: certificate ?? '', key: golden('encrypted-key.pem'), passphrase: 'secret' });
  assert.equal((await ask(encrypted.port)).text, 'for hello');
  const stored = await listen({ keyStore: bytes('store.p12'), passphrase: 'secret' });
  assert.equal((await ask(stored.port)).text, 'for hello');
});

test('what is wrong with certificates and keys is said before anybody is let in', async () => {
  const certificate = golden('certificate.pem');
  const wrong: [TlsOptions, RegExp][] = [
    [{ certificate, key: golden('stranger-key.pem') }, /^the private key is not that of the certificate$/],
    [{ certificate, key: golden('encrypted-key.pem') }, /^the private key is encrypted, and no password is given$/],
    [{ certificate, key: golden('encrypted-key.pem'), passphrase: 'wrong' }, /^the password of the private key is wrong$/],
    [{ certificate: 'nothing', key: golden('key.pem') }, /^there is no PEM where a certificate or a key is expected$/],
    [{ keyStore: bytes('store.p12'), passphrase: 'wrong' }, /^the password of the key store is wrong$/],
    [{ keyStore: Buffer.from('nothing'), passphrase: 'x' }, /^the key store is no PKCS#12/],
    [{ ...server, cipherSuites: ['TLS_UNKNOWN'] }, /^none of the cipher suites TLS_UNKNOWN is known for TLSv1.2 and TLSv1.3$/],
  ];
  for (const [options, message] of wrong) {
    await assert.rejects(listen(options), (error) => error instanceof TlsOptionsError && message.test(error.message));
  }
});

test('a new certificate is shown to those who come after it, and a broken one to nobody', async () => {
  const { port, listener } = await listen(server);
  const fingerprint = (name: string): string => new X509Certificate(golden(name)).fingerprint256;
  assert.equal((await ask(port)).shown, fingerprint('certificate.pem'));
  await listener.renewTls?.({ certificate: stranger.cert, key: stranger.key });
  assert.equal((await ask(port, { ca: stranger.cert })).shown, fingerprint('stranger.pem'));
  await assert.rejects(async () => listener.renewTls?.({ certificate: stranger.cert, key: alice.key }), TlsOptionsError);
  assert.equal((await ask(port, { ca: stranger.cert })).shown, fingerprint('stranger.pem'));
});

test('who says nothing, and who stops in the middle of a handshake, is sent away after a time', async () => {
  const hello = Buffer.from('16030100f8010000f40303', 'hex');
  for (const said of [Buffer.alloc(0), Buffer.from([0x16]), hello]) {
    const { port, seen } = await listen({ ...server, handshakeTimeoutMs: 20 });
    const socket = net.connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(said);
    assert.match(String(await seen.closed), /handshake took too long/);
    assert.deepEqual([seen.bytes, seen.socket?.isTls, seen.socket?.remote.host], ['', true, '127.0.0.1']);
    socket.destroy();
  }
});

test('who speaks no TLS is sent away at once, and who leaves is forgotten', async () => {
  for (const said of ['GET / HTTP/1.0\r\n\r\n', '\0\0\0\u0013\0\u0012\0\u0003', '\u0016\u0003\u0001\0\u0005garbage!']) {
    const { port, seen } = await listen(server);
    const socket = net.connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(said);
    assert.ok((await seen.closed) instanceof Error);
    assert.equal(seen.bytes, '');
    socket.destroy();
  }
  const { port, seen } = await listen(server);
  const leaver = net.connect(port, '127.0.0.1', () => leaver.destroy());
  await seen.closed;
  assert.equal(seen.bytes, '');
});
