import { lookup, lookupService } from 'node:dns/promises';
import { hostname } from 'node:os';

/** A name server that does not answer must not hold up a start. */
const LOOKUP_MS = 1000;

/**
 * The name by which others know this machine, told to clients where a listener has every address: what its own name's address is called, if that name
 * leads back to the address; otherwise the address; its own name if nobody can be asked. The same as Java's canonical host name.
 */
export async function hostName(): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(hostname()), LOOKUP_MS);
  });
  try {
    return await Promise.race([canonicalName(hostname()), late]);
  } catch {
    return hostname();
  } finally {
    clearTimeout(timer);
  }
}

async function canonicalName(name: string): Promise<string> {
  const { address } = await lookup(name);
  try {
    const { hostname: canonical } = await lookupService(address, 0);
    const back = await lookup(canonical, { all: true });
    return back.some((each) => each.address === address) ? canonical : address;
  } catch {
    return address;
  }
}
