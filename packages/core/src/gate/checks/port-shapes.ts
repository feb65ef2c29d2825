import type { Crypto } from '../../ports/crypto.js';
import type { AdjustableClock, Clock, Deadlines, Ids, KycVault, Telemetry, WebhookSender } from '../../ports/edge.js';
import type { PoolProvider } from '../../ports/pool-provider.js';
import type { Provider, RefundingProvider } from '../../ports/provider.js';
import type { RateLimits } from '../../ports/rate-limits.js';
import type { SandboxControl } from '../../ports/sandbox.js';
import type { Scheduler } from '../../ports/scheduler.js';
import type { Partners, PartnerStore } from '../../ports/partners.js';
import type { EngineStore } from '../../ports/store.js';

/** The methods a port must have. A method that is added to one and not here does not compile. */
type Methods<Port> = Readonly<
  Record<{ [Name in keyof Port]-?: Port[Name] extends (...args: never) => unknown ? Name : never }[keyof Port], true>
>;

const partners: Methods<Partners> = { findKey: true, findPartner: true, findEndpoint: true };
const clock: Methods<Clock> = { now: true, wall: true };
const testClock: Methods<AdjustableClock> = { ...clock, advanceTo: true };
const telemetry: Methods<Telemetry> = { alarm: true, failure: true, note: true };
const pools: Methods<PoolProvider> = { price: true, settle: true };
const scheduler: Methods<Scheduler> = { wake: true, start: true, close: true };
const limits: Methods<RateLimits> = { hit: true, peek: true };
const sandbox: Methods<SandboxControl> = { details: true, confirmation: true, plan: true, settle: true };
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
  readSetting: true,
  swapSetting: true,
};
const partnerStore: Methods<Omit<PartnerStore, 'readTime'>> = {
  ...partners,
  save: true,
  noteKeyUse: true,
  listKeys: true,
};
/** What a store has besides where the partners are its own. */
export const PARTNER_METHODS = Object.keys(partnerStore);

export const PROVIDER_METHODS = Object.keys({
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
export const REFUND_METHODS = Object.keys({ refund: true, lookupRefund: true } satisfies Methods<
  Pick<RefundingProvider, 'refund' | 'lookupRefund'>
>);

/** By the name under which `createGate` takes them. */
export const PORT_METHODS = {
  store: Object.keys(store),
  scheduler: Object.keys(scheduler),
  limits: Object.keys(limits),
  sandbox: Object.keys(sandbox),
  pools: Object.keys(pools),
  vault: Object.keys(vault),
  partners: Object.keys(partners),
  clock: Object.keys(clock),
  testClock: Object.keys(testClock),
  telemetry: Object.keys(telemetry),
  sender: Object.keys(sender),
  crypto: Object.keys(crypto),
  ids: Object.keys(ids),
  deadlines: Object.keys(deadlines),
} as const;

export const REQUIRED_PORTS = [
  'store',
  'scheduler',
  'limits',
] as const satisfies readonly (keyof typeof PORT_METHODS)[];
