import { isRecord } from '../../domain/json.js';
import { MODES } from '../../domain/mode.js';
import { DEFAULT_POLICY } from '../../domain/policy.js';
import { contractProblem } from '../../ports/contract.js';
import type { Crypto } from '../../ports/crypto.js';
import type {
  AdjustableClock,
  Clock,
  Deadlines,
  Ids,
  KycVault,
  RateLimits,
  Scheduler,
  Telemetry,
  Tracer,
  WebhookSender,
} from '../../ports/edge.js';
import type { Partners, PartnerStore } from '../../ports/partners.js';
import type { Provider, RefundingProvider, SavingProvider } from '../../ports/provider.js';
import type { EngineStore, OperatorReads } from '../../ports/store.js';
import { MASTER_KEY_BYTES, masterKeyProblem } from '../../runtime/crypto/master-keys.js';
import { extensionProblems } from './check-extensions.js';
import { originProblem, publicUrlProblem, shapeOf } from './argument-error.js';

/** The required methods of a port. A method missing here does not compile. */
type Methods<Port> = Readonly<
  Record<{ [Name in keyof Port]-?: Port[Name] extends (...args: never) => unknown ? Name : never }[keyof Port], true>
>;

const partners: Methods<Partners> = { findKey: true, findPartner: true, findEndpoint: true };
const operator: Methods<OperatorReads> = {
  partners: true,
  queuedDeliveries: true,
  oldestTasks: true,
  stuckTasks: true,
  parkedTasks: true,
  countDeadLetters: true,
  heldSessions: true,
  marks: true,
};
const clock: Methods<Clock> = { now: true, wall: true };
const testClock: Methods<AdjustableClock> = { ...clock, advanceTo: true };
const telemetry: Methods<Telemetry> = { alarm: true, failure: true, note: true };
const tracer: Methods<Tracer> = { current: true, start: true };
const scheduler: Methods<Scheduler> = { wake: true, start: true, close: true };
const limits: Methods<RateLimits> = { hit: true, peek: true };
const vault: Methods<KycVault> = { store: true, forget: true, sweep: true };
const sender: Methods<WebhookSender> = { send: true, close: true };
const deadlines: Methods<Deadlines> = { within: true, rest: true };
const ids: Methods<Ids> = { object: true, transaction: true, uuid: true, secret: true };
const crypto: Methods<Crypto> = {
  open: true,
  hash: true,
  keyedHash: true,
  hmacHex: true,
  equal: true,
  keySeal: true,
  sealSecret: true,
  openSecret: true,
  signToken: true,
  verifyToken: true,
};
const store: Methods<EngineStore> = {
  commit: true,
  findReply: true,
  reap: true,
  find: true,
  list: true,
  readCounters: true,
  claim: true,
  claimOne: true,
  recordDelivery: true,
  nextDue: true,
  readConsumers: true,
  registerConsumers: true,
  removeConsumer: true,
  listAudit: true,
  readSetting: true,
  swapSetting: true,
  listSettings: true,
};
const partnerStore: Methods<PartnerStore> = {
  ...partners,
  save: true,
  noteKeyUse: true,
  listKeys: true,
};
/** The additional methods of a store that manages partners. */
export const PARTNER_METHODS = Object.keys(partnerStore);

const PROVIDER_METHODS = Object.keys({
  capabilities: true,
  quote: true,
  checkQuote: true,
  resolve: true,
  start: true,
  confirm: true,
  cancel: true,
  lookup: true,
  parseCallback: true,
} satisfies Methods<Provider>);

/** A provider has both or neither. */
const REFUND_METHODS = Object.keys({ refund: true, lookupRefund: true } satisfies Methods<
  Pick<RefundingProvider, 'refund' | 'lookupRefund'>
>);

/** A provider has both or neither. */
const SAVING_METHODS = Object.keys({ listSavedMethods: true, forgetSavedMethod: true } satisfies Methods<
  Pick<SavingProvider, 'listSavedMethods' | 'forgetSavedMethod'>
>);

/** Ports by their names in `createGate`. */
const PORT_METHODS = {
  store: Object.keys(store),
  scheduler: Object.keys(scheduler),
  limits: Object.keys(limits),
  vault: Object.keys(vault),
  partners: Object.keys(partners),
  operator: Object.keys(operator),
  clock: Object.keys(clock),
  testClock: Object.keys(testClock),
  telemetry: Object.keys(telemetry),
  tracer: Object.keys(tracer),
  sender: Object.keys(sender),
  crypto: Object.keys(crypto),
  ids: Object.keys(ids),
  deadlines: Object.keys(deadlines),
} as const;

const REQUIRED_PORTS = ['store', 'scheduler', 'limits'] as const satisfies readonly (keyof typeof PORT_METHODS)[];

const OTHERS = ['providers', 'extensions', 'masterKey', 'oldMasterKeys', 'hosts', 'publicUrl', 'allowPrivateWebhooks'];

/** Problems of the ports: missing, unknown or invalid ones. */
export function portProblems(ports: unknown, policy: unknown): readonly string[] {
  if (!isRecord(ports))
    return [`The ports must be an object with ${[...REQUIRED_PORTS, 'providers'].join(', ')}, not ${shapeOf(ports)}.`];
  return [
    ...unknownProblems(ports),
    ...Object.entries(PORT_METHODS).flatMap(([name, methods]) => methodProblems(ports, name, methods)),
    ...partnerProblems(ports),
    ...testClockProblems(ports, policy),
    ...providerProblems(ports['providers']),
    ...extensionProblems(ports['extensions']),
    ...keyProblems(ports),
    ...hostProblems(ports['hosts']),
    ...publicUrlProblems(ports['publicUrl']),
    ...(['boolean', 'undefined'].includes(typeof ports['allowPrivateWebhooks'])
      ? []
      : [`allowPrivateWebhooks must be true or false, not ${shapeOf(ports['allowPrivateWebhooks'])}.`]),
  ];
}

function unknownProblems(ports: Readonly<Record<string, unknown>>): readonly string[] {
  const known = [...Object.keys(PORT_METHODS), ...OTHERS];
  return Object.keys(ports)
    .filter((name) => !known.includes(name))
    .map((name) => `${name} is not a port; the ports are ${known.join(', ')}.`);
}

function methodProblems(
  ports: Readonly<Record<string, unknown>>,
  name: string,
  methods: readonly string[],
): readonly string[] {
  const port = ports[name];
  const isRequired = REQUIRED_PORTS.some((required) => required === name);
  if (port === undefined && !isRequired) return [];
  if (typeof port !== 'object' || port === null)
    return [
      `${name} ${port === undefined ? 'is missing' : `is ${shapeOf(port)}`}: it must be an object with ${listed(methods)}.`,
    ];
  // First, as methods may be missing because of it.
  const outdated = contractProblem(name, port, '@gateramp/core');
  if (outdated !== null) return [outdated];
  const missing = missingOf(port, methods);
  if (missing.length > 0) return [`${name} lacks ${listed(missing)}. Pass the adapter that its factory returns.`];
  if (name === 'store' && (!('isDurable' in port) || typeof port.isDurable !== 'boolean'))
    return ['store.isDurable must be true if stored data outlives the process, else false.'];
  return [];
}

/** The store must manage partners, unless the host has its own. */
function partnerProblems({ store, partners }: Readonly<Record<string, unknown>>): readonly string[] {
  if (partners !== undefined || !isRecord(store)) return [];
  const missing = missingOf(store, PARTNER_METHODS);
  if (missing.length === 0 || missingOf(store, PORT_METHODS.store).length > 0) return [];
  return [`store lacks ${listed(missing)}: it cannot hold partners. Pass your own partners port.`];
}

/** To step the clock of one sandbox, its work must be found among that of all. */
function testClockProblems(
  { store, testClock: clock }: Readonly<Record<string, unknown>>,
  policy: unknown,
): readonly string[] {
  const { testClock: steps = DEFAULT_POLICY.testClock } = isRecord(policy) ? policy : {};
  if (clock === undefined || steps !== 'partner' || !isRecord(store)) return [];
  if (missingOf(store, ['sandboxesDue']).length === 0) return [];
  return [
    "store lacks sandboxesDue: its sandboxes cannot have clocks of their own. Set policy.testClock to 'mode', and a step moves all of test mode.",
  ];
}

function providerProblems(providers: unknown): readonly string[] {
  if (!Array.isArray(providers)) return [`providers must be an array of providers, not ${shapeOf(providers)}.`];
  const names: unknown[] = [];
  return providers.flatMap((provider: unknown, index): readonly string[] => {
    const place = `providers[${index}]`;
    if (!isRecord(provider)) return [`${place} must be a provider, not ${shapeOf(provider)}.`];
    const { name } = provider;
    const isRepeated = names.includes(name);
    names.push(name);
    const outdated = contractProblem(place, provider, '@gateramp/core');
    if (outdated !== null) return [outdated];
    const missing = missingOf(provider, PROVIDER_METHODS);
    return [
      ...(typeof name === 'string' && /^[a-z0-9][a-z0-9_-]{0,63}$/.test(name)
        ? []
        : [
            `${place}.name must be 1 to 64 lower-case letters, digits, "_" or "-", as it is part of a URL; it is ${shapeOf(name)}.`,
          ]),
      ...(isRepeated ? [`${place}.name is already the name of another provider.`] : []),
      ...(missing.length === 0 ? [] : [`${place} lacks ${listed(missing)}.`]),
      ...pairProblems(place, provider, REFUND_METHODS, 'refunds'),
      ...pairProblems(place, provider, SAVING_METHODS, 'saves payment methods'),
    ];
  });
}

/** A provider must have all methods of an ability, or none. */
function pairProblems(place: string, provider: object, methods: readonly string[], ability: string): readonly string[] {
  const missing = missingOf(provider, methods);
  return missing.length === 0 || missing.length === methods.length
    ? []
    : [`${place} lacks ${listed(missing)}: a provider that ${ability} has ${listed(methods)}.`];
}

function keyProblems({
  masterKey,
  oldMasterKeys,
  crypto,
  store,
}: Readonly<Record<string, unknown>>): readonly string[] {
  const isDurable = isRecord(store) && store['isDurable'] === true;
  const old: readonly unknown[] = Array.isArray(oldMasterKeys) ? oldMasterKeys : [];
  return [
    ...(masterKey === undefined && crypto === undefined && isDurable
      ? [
          'masterKey is missing: this store outlives the process, and no other process could decrypt its data. Generate one with "openssl rand -base64 32" and pass its 32 bytes.',
        ]
      : []),
    ...(masterKey === undefined ? [] : masterKeyProblems('masterKey', masterKey, { isDurable })),
    ...(oldMasterKeys === undefined || Array.isArray(oldMasterKeys)
      ? []
      : [`oldMasterKeys must be an array, not ${shapeOf(oldMasterKeys)}.`]),
    ...old.flatMap((key, index) => masterKeyProblems(`oldMasterKeys[${index}]`, key, { isDurable: false })),
  ];
}

function masterKeyProblems(
  place: string,
  key: unknown,
  { isDurable }: { readonly isDurable: boolean },
): readonly string[] {
  if (!(key instanceof Uint8Array))
    return [
      `${place} must be a Uint8Array of ${MASTER_KEY_BYTES} bytes, not ${shapeOf(key)}; convert base64 with Buffer.from(text, 'base64').`,
    ];
  if (key.length !== MASTER_KEY_BYTES) return [`${place} must have ${MASTER_KEY_BYTES} bytes; it has ${key.length}.`];
  const problem = isDurable ? masterKeyProblem(Buffer.from(key).toString('base64')) : null;
  return problem === null ? [] : [`${place} is too weak for a durable store. ${problem}`];
}

function publicUrlProblems(given: unknown): readonly string[] {
  const problem = given === undefined ? null : publicUrlProblem(given);
  return problem === null ? [] : [`publicUrl ${problem}.`];
}

function hostProblems(hosts: unknown): readonly string[] {
  if (hosts === undefined) return [];
  if (!isRecord(hosts)) return [`hosts must be an object with ${MODES.join(' and ')}, not ${shapeOf(hosts)}.`];
  return Object.entries(hosts).flatMap(([mode, host]) => {
    if (!MODES.some((known) => known === mode))
      return [`hosts.${mode} is not a mode; the modes are ${MODES.join(' and ')}.`];
    if (host === undefined) return [];
    const problem = originProblem(isRecord(host) ? host['widgetOrigin'] : undefined);
    return problem === null ? [] : [`hosts.${mode}.widgetOrigin ${problem}.`];
  });
}

/** Methods may be inherited from a class. */
function missingOf(port: object, methods: readonly string[]): readonly string[] {
  return methods.filter((method) => typeof Reflect.get(port, method) !== 'function');
}

function listed(methods: readonly string[]): string {
  return methods.length > 5
    ? `${methods.slice(0, 4).join(', ')} and ${methods.length - 4} more methods`
    : methods.join(', ');
}
