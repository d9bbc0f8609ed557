import { silentLogger } from '../../src/base/logger.ts';
import { Client } from '../../src/client/client.ts';
import { systemEnvironment } from '../../src/platform/system-environment.ts';
import type { MovingNetwork } from './moving-network.ts';

/** A client of the one broker of the network, impatient to have it back. */
export const movingClient = (network: MovingNetwork): Client =>
  new Client(
    { ...systemEnvironment({ logger: silentLogger }), network },
    {
      bootstrapServers: '127.0.0.1:1',
      reconnectBackoffMs: 10,
      reconnectBackoffMaxMs: 40,
      retryBackoffMs: 20,
      retryBackoffMaxMs: 100,
    },
  );
