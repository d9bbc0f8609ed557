import type { BrokerConfig } from '../config/broker-configs.ts';
import { invalidConfig } from '../config/config-value.ts';
import type { Texts } from '../config/effective.ts';
import type { NodeSettings } from '../config/node-settings.ts';

/** What decides by ACLs in Apache Kafka. */
const STANDARD_AUTHORIZERS: ReadonlySet<string> = new Set([
  'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  'kafka.security.authorizer.AclAuthorizer',
]);

/** Configs that name a Java class, and what does not happen because it cannot run here. */
const ignoredClasses = {
  'create.topic.policy.class.name': 'no policy refuses new topics',
  'alter.config.policy.class.name': 'no policy refuses changes of configs',
  'client.quota.callback.class': 'quotas are decided without it',
  'group.streams.topology.description.plugin.class': 'topologies are not described',
} as const;

/**
 * Refuses what a node is told to be and cannot be yet; gives a sentence for each thing that it is told to do and does not. Who relies on
 * security is never served without it. Throws INVALID_CONFIG.
 */
export function checkServable(settings: NodeSettings, config: BrokerConfig, texts: Texts): string[] {
  checkRoles(settings);
  checkListeners(settings);
  if (config['remote.log.storage.system.enable'])
    throw refused('remote.log.storage.system.enable', 'Tiered storage is not served yet. Set it to false, or leave it out.');
  return [...authorizerWarnings(config['authorizer.class.name'], texts), ...classWarnings(config)];
}

const refused = (name: string, sentence: string): Error => invalidConfig(`${name}: ${sentence}`);

function checkRoles({ isBroker, isController, voters, nodeId }: NodeSettings): void {
  if (!isBroker || !isController) {
    throw refused('process.roles', 'A node is both broker and controller so far. Set process.roles=broker,controller.');
  }
  const others = voters.filter(({ id }) => id !== nodeId);
  if (others.length > 0) {
    const names = others.map(({ id, host, port }) => `${id}@${host}:${port}`).join(', ');
    throw refused('controller.quorum.voters', `A quorum has one voter so far, this node; ${names} cannot be part of it.`);
  }
}

function checkListeners({ listeners, controllerListeners }: NodeSettings): void {
  for (const { name, protocol } of [...listeners, ...controllerListeners]) {
    if (protocol === 'PLAINTEXT' || protocol === 'SSL') continue;
    const advice =
      'Use SSL, with ssl.client.auth=required to know who clients are, or PLAINTEXT on an address that only trusted clients reach.';
    throw refused('listeners', `Listener ${name} is to speak ${protocol}, which is not served yet. ${advice}`);
  }
}

/** Where the configs would turn somebody away, nobody may be let in; where they let everybody in, that is what happens. */
function authorizerWarnings(authorizer: string, texts: Texts): string[] {
  if (authorizer === '') return [];
  const name = 'authorizer.class.name';
  if (!STANDARD_AUTHORIZERS.has(authorizer)) {
    throw refused(name, `${authorizer} is a class of Java, which cannot run here. Leave it out to let everybody in.`);
  }
  if (texts.get('allow.everyone.if.no.acl.found')?.trim().toLowerCase() !== 'true') {
    const advice = 'Leave it out, or set allow.everyone.if.no.acl.found=true, to let everybody in.';
    throw refused(name, `Nothing is authorized yet, and these configs turn away whom no ACL allows. ${advice}`);
  }
  return [
    `Nothing is authorized yet: ${name} has no effect, and every client may do everything. Let only trusted clients reach this node.`,
  ];
}

function classWarnings(config: BrokerConfig): string[] {
  const names = Object.keys(ignoredClasses) as (keyof typeof ignoredClasses)[];
  return names.flatMap((name) => {
    const value = config[name];
    return value === null || value === ''
      ? []
      : [`Config ${name} names ${value}, a class of Java that cannot run here: ${ignoredClasses[name]}.`];
  });
}
