import type { Network } from '../../src/base/network.ts';
import { nodeNetwork } from '../../src/platform/node-network.ts';

/** A network on which the one broker has moved to another port at each start, and every connection leads to where it is now. */
export class MovingNetwork implements Network {
  /** Null while the broker is down. */
  port: number | null = null;
  readonly listen = nodeNetwork.listen.bind(nodeNetwork);

  readonly connect: Network['connect'] = (_endpoint, options) => {
    if (this.port === null) return Promise.reject(Object.assign(new Error('the broker is down'), { code: 'ECONNREFUSED' }));
    return nodeNetwork.connect({ host: '127.0.0.1', port: this.port }, options);
  };
}
