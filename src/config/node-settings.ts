import type { Endpoint } from '../base/network.ts';
import type { BrokerConfig } from './broker-configs.ts';
import { invalidConfig } from './config-value.ts';
import type { Texts } from './effective.ts';
import {
  isEveryAddress,
  listenerName,
  type ListenerSetting,
  parseListeners,
  parseProtocolMap,
  type SecurityProtocol,
} from './listeners.ts';
import { parseBootstrapServers, parseVoters, type Voter } from './quorum-addresses.ts';

/** What a node is, where it listens and where its data lies, read from its configs and checked. */
export interface NodeSettings {
  readonly nodeId: number;
  readonly isBroker: boolean;
  readonly isController: boolean;
  /** Listeners that brokers and clients connect to. */
  readonly listeners: readonly ListenerSetting[];
  readonly controllerListeners: readonly ListenerSetting[];
  /** What clients are told. An empty host stands for the name of this machine, port 0 for the port that was bound. */
  readonly advertised: readonly ListenerSetting[];
  readonly advertisedController: readonly ListenerSetting[];
  readonly interBrokerListenerName: string;
  /** Names of the listeners of controllers, here or elsewhere, the preferred first, and their protocols. */
  readonly controllerListenerNames: readonly string[];
  readonly protocols: ReadonlyMap<string, SecurityProtocol>;
  readonly voters: readonly Voter[];
  readonly bootstrapServers: readonly Endpoint[];
  readonly logDirectories: readonly string[];
  readonly metadataLogDirectory: string;
  /** A quorum of one without a listener for controllers. */
  readonly isEmbedded: boolean;
}

/** Reads the settings of a node. Throws INVALID_CONFIG in the words of Kafka where it has some. */
export function readNodeSettings(
  config: BrokerConfig,
  given: Texts,
  { isEmbedded }: { readonly isEmbedded: boolean },
): NodeSettings {
  const roles = config['process.roles'];
  const controllerNames = config['controller.listener.names'].map(listenerName);
  const protocols = protocolsOf(config, given);
  const all = parseListeners(config.listeners, protocols, { distinctPorts: true });
  const toldTexts = config['advertised.listeners'];
  const told = toldTexts === null ? null : parseListeners(toldTexts, protocols, { distinctPorts: false });
  const isOfController = ({ name }: ListenerSetting): boolean => controllerNames.includes(name);
  const logDirectories = [...new Set((config['log.dirs'] ?? config['log.dir']).map(withoutEndSlash))];
  const voters = parseVoters(config['controller.quorum.voters']);
  const settings: NodeSettings = {
    nodeId: config['node.id'],
    isBroker: roles.includes('broker'),
    isController: roles.includes('controller'),
    listeners: all.filter((listener) => !isOfController(listener)),
    controllerListeners: all.filter(isOfController),
    advertised: (told ?? all).filter((listener) => !isOfController(listener)),
    advertisedController: all
      .filter(isOfController)
      .map((listener) => advertisedController(listener, told, voters, config['node.id'])),
    interBrokerListenerName: interBrokerListenerName(config, given, protocols),
    controllerListenerNames: controllerNames,
    protocols,
    voters,
    bootstrapServers: parseBootstrapServers(config['controller.quorum.bootstrap.servers']),
    logDirectories,
    metadataLogDirectory: withoutEndSlash(config['metadata.log.dir'] ?? logDirectories[0] ?? ''),
    isEmbedded,
  };
  checkQuorum(settings);
  checkRoles(settings, all, told);
  checkEarlyStart(config, settings, all);
  checkInterBrokerSasl(config, settings);
  return settings;
}

/** Paths of directories are compared as texts. */
export const withoutEndSlash = (path: string): string => path.replace(/(?<=.)[/]+$/, '');

/** The default map serves controllers in the clear, unless the node has listeners with security: then it must say so. */
function protocolsOf(config: BrokerConfig, given: Texts): Map<string, SecurityProtocol> {
  const protocols = parseProtocolMap(config['listener.security.protocol.map']);
  const isSecured = config.listeners.some((listener) => /^(ssl|sasl_)/i.test(listener));
  if (given.has('listener.security.protocol.map') || isSecured) return protocols;
  for (const name of config['controller.listener.names']) {
    if (!protocols.has(name)) protocols.set(name, 'PLAINTEXT');
  }
  return protocols;
}

/** A controller that listens on every address is reached where the quorum expects it. */
function advertisedController(
  listener: ListenerSetting,
  told: readonly ListenerSetting[] | null,
  voters: readonly Voter[],
  nodeId: number,
): ListenerSetting {
  const explicit = told?.find(({ name }) => name === listener.name);
  if (explicit !== undefined) return explicit;
  const voter = voters.find(({ id }) => id === nodeId);
  return isEveryAddress(listener.host) && voter !== undefined ? { ...listener, host: voter.host, port: voter.port } : listener;
}

function interBrokerListenerName(config: BrokerConfig, given: Texts, protocols: ReadonlyMap<string, SecurityProtocol>): string {
  const configured = config['inter.broker.listener.name'];
  if (configured === null) return config['security.inter.broker.protocol'];
  if (given.has('security.inter.broker.protocol')) {
    throw invalidConfig('Only one of inter.broker.listener.name and security.inter.broker.protocol should be set.');
  }
  const name = listenerName(configured);
  if (!protocols.has(name)) {
    const where = 'defined in inter.broker.listener.name not found in listener.security.protocol.map.';
    throw invalidConfig(`Listener with name ${name} ${where}`);
  }
  return name;
}

function checkQuorum({ nodeId, isController, voters, bootstrapServers, isEmbedded }: NodeSettings): void {
  if (isEmbedded) return;
  demand(
    voters.length > 0 || bootstrapServers.length > 0,
    'If using process.roles, either controller.quorum.bootstrap.servers must contain the set of bootstrap controllers or controller.quorum.voters must contain a parseable set of controllers.',
  );
  if (voters.length === 0) return;
  const ids = `controller.quorum.voters=Set(${[...new Set(voters.map(({ id }) => id))].join(', ')})`;
  const isVoter = voters.some(({ id }) => id === nodeId);
  demand(
    isController || !isVoter,
    `If process.roles contains just the 'broker' role, the node id ${nodeId} must not be included in the set of voters ${ids}`,
  );
  demand(
    !isController || isVoter,
    `If process.roles contains the 'controller' role, the node id ${nodeId} must be included in the set of voters ${ids}`,
  );
}

function checkRoles(settings: NodeSettings, all: readonly ListenerSetting[], told: readonly ListenerSetting[] | null): void {
  const { isBroker, isController, controllerListenerNames, protocols, isEmbedded } = settings;
  const names = all.map(({ name }) => name);
  if (!isController) {
    demand(
      settings.controllerListeners.length === 0,
      `controller.listener.names must not contain a value appearing in the 'listeners' configuration when running KRaft with just the broker role`,
    );
    for (const name of controllerListenerNames) {
      demand(
        protocols.has(name),
        `Controller listener with name ${name} defined in controller.listener.names not found in listener.security.protocol.map  (an explicit security mapping for each controller listener is required if listener.security.protocol.map is non-empty, or if there are security protocols other than PLAINTEXT in use)`,
      );
    }
  } else if (!isBroker) {
    demand(
      settings.listeners.length === 0,
      'The listeners config must only contain KRaft controller listeners from controller.listener.names when process.roles=controller',
    );
  }
  if (isController && !isEmbedded) {
    demand(
      settings.controllerListeners.length > 0,
      `controller.listener.names must contain at least one value appearing in the 'listeners' configuration when running the KRaft controller role`,
    );
    demand(
      controllerListenerNames.every((name) => names.includes(name)),
      `controller.listener.names must only contain values appearing in the 'listeners' configuration when running the KRaft controller role`,
    );
  }
  checkAdvertised(settings, names, told ?? all);
}

function checkAdvertised(settings: NodeSettings, names: readonly string[], told: readonly ListenerSetting[]): void {
  const { isBroker, advertised, advertisedController: controllers, interBrokerListenerName: interBroker } = settings;
  if (isBroker) {
    const options = advertised.map(({ name }) => name).join(',');
    demand(
      advertised.length > 0,
      'There must be at least one broker advertised listener. Perhaps all listeners appear in controller.listener.names?',
    );
    demand(
      advertised.some(({ name }) => name === interBroker),
      `inter.broker.listener.name must be a listener name defined in advertised.listeners. The valid options based on currently configured listeners are ${options}`,
    );
    demand(
      told.every(({ name }) => names.includes(name)),
      `advertised.listeners listener names must be equal to or a subset of the ones defined in listeners. Found ${told.map(({ name }) => name).join(',')}. The valid options based on the current configuration are ${names.join(',')}`,
    );
  }
  demand(
    [...advertised, ...controllers].every(({ host }) => host !== '0.0.0.0'),
    'advertised.listeners cannot use the nonroutable meta-address 0.0.0.0. Use a routable IP address.',
  );
}

function checkEarlyStart(config: BrokerConfig, { controllerListenerNames }: NodeSettings, all: readonly ListenerSetting[]): void {
  const known = new Set([...controllerListenerNames, ...all.map(({ name }) => name)]);
  for (const name of (config['early.start.listeners'] ?? []).map(listenerName)) {
    demand(
      known.has(name),
      `early.start.listeners contains listener ${name}, but this is not contained in listeners or controller.listener.names`,
    );
  }
}

function checkInterBrokerSasl(config: BrokerConfig, { isBroker, protocols, interBrokerListenerName: name }: NodeSettings): void {
  const usesSasl = isBroker && (protocols.get(name) ?? '').startsWith('SASL_');
  demand(
    !usesSasl || config['sasl.enabled.mechanisms'].includes(config['sasl.mechanism.inter.broker.protocol']),
    'sasl.mechanism.inter.broker.protocol must be included in sasl.enabled.mechanisms when SASL is used for inter-broker communication',
  );
}

function demand(holds: boolean, otherwise: string): void {
  if (!holds) throw invalidConfig(otherwise);
}
