import { connect, type Socket } from 'node:net';

/** ApiVersions v0, correlation id 1, client id `ottla-bench`, with its length. */
const apiVersionsRequest = Buffer.from('000000150012000000000001000b6f74746c612d62656e6368', 'hex');

/** A connection that has asked for the versions and has its answer; null if there was none. */
export function openConnection(port: number): Promise<Socket | null> {
  return new Promise((done) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const failed = (): void => {
      socket.destroy();
      done(null);
    };
    socket.setTimeout(2000, failed);
    socket.on('error', failed);
    socket.on('close', failed);
    socket.once('data', () => {
      socket.setTimeout(0);
      done(socket);
    });
    socket.write(apiVersionsRequest);
  });
}
