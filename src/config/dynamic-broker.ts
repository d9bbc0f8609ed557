import { brokerConfigs } from './broker-configs.ts';
import { invalidConfig } from './config-value.ts';
import { parseConfig } from './define-configs.ts';
import type { Texts } from './effective.ts';
import { withoutListener } from './synonyms.ts';
import { throttleConfigs } from './throttle-configs.ts';

/** Secrets and stores of keys change while the broker runs, but only for one listener at a time. */
const perListenerOnly: ReadonlySet<string> = new Set([
  'ssl.key.password',
  'ssl.keystore.certificate.chain',
  'ssl.keystore.key',
  'ssl.keystore.location',
  'ssl.keystore.password',
  'ssl.keystore.type',
  'ssl.truststore.certificates',
  'ssl.truststore.location',
  'ssl.truststore.password',
  'ssl.truststore.type',
]);

/** Which configs a running broker takes (KIP-226). Names that no table knows may be a plugin's and pass. Throws INVALID_CONFIG. */
export function checkDynamicBroker(texts: Texts, { forOneBroker }: { readonly forOneBroker: boolean }): void {
  const names = [...texts.keys()].toSorted();
  refuse(
    names.filter((name) => isStatic(name)),
    'Cannot update these configs dynamically',
  );
  refuse(
    names.filter((name) => perListenerOnly.has(name)),
    'These security configs can be dynamically updated only per-listener using the listener prefix',
  );
  if (!forOneBroker) {
    refuse(
      names.filter((name) => isPerBroker(name)),
      'Cannot update these configs at default cluster level, broker id must be specified',
    );
  }
  for (const [name, text] of texts) {
    const base = withoutListener(name) ?? name;
    const spec = brokerConfigs.specs.get(base) ?? throttleConfigs.specs.get(base);
    if (spec !== undefined) parseConfig(name, spec, text);
  }
}

const isStatic = (name: string): boolean => {
  const spec = brokerConfigs.specs.get(name);
  return spec !== undefined && (spec.update ?? 'read-only') === 'read-only';
};

const isPerBroker = (name: string): boolean => brokerConfigs.specs.get(withoutListener(name) ?? name)?.update === 'per-broker';

function refuse(names: readonly string[], reason: string): void {
  if (names.length > 0) throw invalidConfig(`${reason}: [${names.join(', ')}]`);
}
