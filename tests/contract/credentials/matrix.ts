import type { KeyScope } from '@gateramp/core/domain';
import { POOL_ROUTES } from '../pools/pool-routes.js';
import { type HostName, type HttpWorld, nameOf, ROUTES, type Sample } from '../kit.js';

/** The possible faults of a request's credential. */
export const FAULTS = [
  'missing',
  'malformed',
  'wrong_mode',
  'wrong_type',
  'unknown',
  'revoked',
  'expired',
  'not_cleared',
  'suspended',
  'not_entitled',
  'other_partner',
  'out_of_scope',
  'own_scope',
  'other_address',
] as const;

export type Fault = (typeof FAULTS)[number];

/** Only secret keys can be restricted. */
export type Restriction = 'out_of_scope' | 'own_scope' | 'other_address';

export const isRestriction = (fault: Fault): fault is Restriction =>
  fault === 'out_of_scope' || fault === 'own_scope' || fault === 'other_address';

/** The credential of an endpoint: a key of one type, of either type on the pools host, an embed token, or none. */
export type Kind = 'secret' | 'publishable' | 'pools_secret' | 'pools_any' | 'embed' | 'none';

/** The expected answer; `served` is the endpoint's success, `own` is defined by the row of the endpoint. */
export type Cell = readonly [status: number, code: string] | 'served' | 'own';

const LIVE_ON_TEST = [403, 'live_key_on_sandbox'] as const;
const TEST_ON_LIVE = [403, 'test_key_on_live'] as const;

const BY_KEY = {
  missing: [401, 'missing_credential'],
  malformed: [401, 'malformed_credential'],
  wrong_type: [403, 'wrong_key_type'],
  revoked: [401, 'revoked_api_key'],
  expired: [401, 'expired_api_key'],
  not_cleared: [403, 'live_keys_not_allowed'],
  suspended: [403, 'partner_suspended'],
  not_entitled: 'own',
  other_partner: 'own',
  out_of_scope: 'own',
  own_scope: 'served',
  other_address: [403, 'ip_not_allowed'],
} as const;

const ON_POOLS = { ...BY_KEY, wrong_mode: [403, 'key_mode_mismatch'], unknown: [401, 'invalid_api_key'] } as const;
const BAD_TOKEN = [401, 'invalid_embed_token'] as const;

/** The complete contract of credentials: every kind of endpoint × every fault. */
const CELLS: Readonly<Record<Kind, (host: HostName) => Readonly<Record<Fault, Cell>>>> = {
  secret: (host) => ({
    ...BY_KEY,
    wrong_mode: host === 'test' ? LIVE_ON_TEST : TEST_ON_LIVE,
    unknown: [401, 'invalid_api_key'],
  }),
  publishable: (host) => ({
    ...BY_KEY,
    wrong_mode: host === 'test' ? LIVE_ON_TEST : TEST_ON_LIVE,
    // An unknown publishable key is forbidden rather than unauthenticated, since a page cannot authenticate a user (C12).
    unknown: [403, 'invalid_publishable_key'],
    // Its only endpoint opens the checkout, which tells buyers that it takes no payments.
    suspended: 'served',
  }),
  pools_secret: () => ON_POOLS,
  // Discovery accepts both types: everything that a page may see, its server may see.
  pools_any: () => ({ ...ON_POOLS, wrong_type: 'served' }),
  embed: () => ({
    missing: BAD_TOKEN,
    malformed: BAD_TOKEN,
    wrong_mode: BAD_TOKEN,
    wrong_type: BAD_TOKEN,
    unknown: BAD_TOKEN,
    revoked: BAD_TOKEN,
    expired: [401, 'expired_embed_token'],
    not_cleared: [403, 'live_keys_not_allowed'],
    suspended: 'own',
    not_entitled: 'own',
    other_partner: 'own',
    out_of_scope: 'served',
    own_scope: 'served',
    other_address: 'served',
  }),
  none: () => ({
    missing: 'served',
    malformed: 'served',
    wrong_mode: 'served',
    wrong_type: 'served',
    unknown: 'served',
    revoked: 'served',
    expired: 'served',
    not_cleared: 'served',
    suspended: 'served',
    not_entitled: 'served',
    other_partner: 'served',
    out_of_scope: 'served',
    own_scope: 'served',
    other_address: 'served',
  }),
};

/** One endpoint of the table. */
export interface Row {
  readonly name: string;
  readonly method: string;
  readonly kind: Kind;
  readonly hosts: readonly HostName[];
  readonly success: number;
  readonly product: 'rails' | 'pools' | null;
  readonly template: string;
  /** Served with `success` if its credential is valid. */
  readonly sample: (world: HttpWorld, host: HostName) => Promise<Sample>;
}

export const ROWS: readonly Row[] = [
  ...ROUTES.map((route): Row => ({
    ...route,
    name: nameOf(route),
    kind: route.auth,
    hosts: route.template === '/health' ? [...route.hosts, 'pools'] : route.hosts,
    product: route.product ?? null,
    sample: async (world, host) => {
      const { path, sent } = await route.sample(world, host === 'test' ? 'test' : 'live');
      return { path, sent: host === 'pools' ? { ...sent, product: host } : sent };
    },
  })),
  ...POOL_ROUTES.map((route): Row => ({
    ...route,
    name: nameOf(route),
    kind: route.isDiscovery ? 'pools_any' : 'pools_secret',
    hosts: ['pools'],
    product: 'pools',
    sample: async (world) => {
      const { path, sent } = await route.sample(world);
      return { path, sent: { product: 'pools', ...sent } };
    },
  })),
];

const BEGINS_PAYMENTS = /^POST \/v1\/embed\/(quotes|intents)$/;

/** The answer of `row` on a host to a request whose only fault is that of its credential. */
export function cellOf(row: Row, host: HostName, fault: Fault): readonly [status: number, code: string] | 'served' {
  const cell = CELLS[row.kind](host)[fault];
  if (cell !== 'own') return cell;
  if (fault === 'out_of_scope') return scopeOf(row) === null ? 'served' : [403, 'insufficient_scope'];
  // Payments under way can be finished.
  if (fault === 'suspended') return BEGINS_PAYMENTS.test(row.name) ? [403, 'partner_suspended'] : 'served';
  return fault === 'not_entitled' ? unentitled(row) : foreign(row);
}

/** The scope that a restricted key needs; the first match counts. Null for none. */
const SCOPES: readonly (readonly [operation: RegExp, scope: KeyScope | null])[] = [
  [/\/v1\/capabilities\//, null],
  [/\/v1\/test_helpers\//, 'test_helpers:write'],
  [/^POST \/v1\/quotes\/preview$/, 'quotes:read'],
  [/^GET \/v1\/gate_sessions/, 'sessions:read'],
  [/^POST \/v1\/gate_sessions/, 'sessions:write'],
  [/^GET \/v1\/transactions/, 'transactions:read'],
  [/^GET \/v1\/quotes/, 'quotes:read'],
  [/^POST \/v1\/quotes/, 'quotes:write'],
  [/^GET \/v1\/rails/, 'rails:read'],
  [/^POST \/v1\/rails/, 'rails:write'],
  [/^GET \/v1\/pools/, 'pools:read'],
  [/^POST \/v1\/pools/, 'pools:write'],
  [/^GET \/v1\/webhooks/, 'webhooks:read'],
  [/^POST (\/v1\/webhooks|\/portal\/webhook-secret)/, 'webhooks:write'],
  [/^GET \/v1\/events/, 'events:read'],
  [/^GET \/v1\/branding/, 'branding:read'],
  [/^POST \/v1\/branding/, 'branding:write'],
];

export function scopeOf({ name, kind }: Row): KeyScope | null {
  if (kind === 'publishable' || kind === 'embed' || kind === 'none') return null;
  const found = SCOPES.find(([operation]) => operation.test(name));
  if (found === undefined) throw new Error(`${name} has no line in SCOPES.`);
  return found[1];
}

function unentitled({ product }: Row): readonly [number, string] | 'served' {
  if (product === null) return 'served';
  return [403, product === 'rails' ? 'rails_api_not_enabled' : 'pools_not_enabled'];
}

/** By the object that the path or body names: another partner's is treated as unknown, except for pools, whose ids are not secret. */
const NAMED: readonly (readonly [in_: RegExp, cell: readonly [number, string]])[] = [
  [/^POST \/v1\/embed\/bootstrap$/, [404, 'session_not_found']],
  [/gate_sessions\/\{id\}/, [404, 'session_not_found']],
  [/\/embed\/intents\/\{id\}/, [404, 'intent_not_found']],
  [/\/embed\/payment_methods\/\{id\}/, [404, 'payment_method_not_found']],
  [/\/transactions\/\{refid\}/, [404, 'transaction_not_found']],
  [/\/quotes\/\{id\}/, [404, 'quote_not_found']],
  [/^POST \/v1\/rails\/pay_(ins|outs)$/, [404, 'quote_not_found']],
  [/\/rails\/.*\{id\}/, [404, 'intent_not_found']],
  [/\/events\/\{id\}/, [404, 'event_not_found']],
  [/\/deliveries\/\{id\}/, [404, 'delivery_not_found']],
  [/\/pools\/\{id\}/, [403, 'pool_not_allowed']],
];

/** If nothing is named, the caller gets its own objects; the laws of strangers check that it gets no others. */
function foreign({ name }: Row): readonly [number, string] | 'served' {
  return NAMED.find(([pattern]) => pattern.test(name))?.[1] ?? 'served';
}
