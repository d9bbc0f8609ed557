import type { Endpoint } from '../base/network.ts';
import { isEveryAddress, type ListenerSetting } from '../config/listeners.ts';

/**
 * What clients are told: the advertised listeners, with the port that was bound where 0 was asked for, and this machine's name where
 * a listener has every address.
 */
export function advertisedListeners(
  advertised: readonly ListenerSetting[],
  listeners: readonly ListenerSetting[],
  bound: { readonly addressOf: (listenerName: string) => Endpoint; readonly hostName: string },
): ListenerSetting[] {
  return advertised.map((told) => {
    const configured = listeners.find(({ name }) => name === told.name);
    const isBoundHere = configured !== undefined && configured.port === told.port;
    const port = told.port === 0 || isBoundHere ? bound.addressOf(told.name).port : told.port;
    return { ...told, host: isEveryAddress(told.host) ? bound.hostName : told.host, port };
  });
}
