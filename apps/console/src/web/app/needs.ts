import type { Pace } from '../host/live.js';
import type { Activity, Alarms, FailedWork, HeldMoney, Overview, Totals } from '../wire/home.js';
import type {
  Access,
  Approval,
  AuditEntry,
  Branding,
  Checkpoint,
  DeadLetters,
  Delivery,
  Endpoint,
  GateEvent,
  History,
  Inspected,
  Json,
  Key,
  LegOperation,
  LegOperationView,
  List,
  Me,
  Passkey,
  PoolRow,
  SandboxClock,
  Session,
  Transaction,
  Wallet,
} from '../wire/types.js';
import type { Page, Query, Scope } from './route.js';

/** What the pages read, by name. */
export interface Resources {
  readonly overview: Overview;
  readonly totals: Totals;
  readonly activity: Activity;
  readonly held_money: HeldMoney;
  readonly failed_work: FailedWork;
  readonly alarms: Alarms;
  readonly sessions: List<Session>;
  readonly session: Session;
  readonly history: History;
  readonly transactions: List<Transaction>;
  readonly transaction: Transaction;
  readonly events: List<GateEvent>;
  readonly event: GateEvent;
  readonly deliveries: List<Delivery>;
  readonly delivery: Delivery;
  readonly object: Inspected;
  readonly endpoint: Endpoint;
  readonly clock: SandboxClock;
  readonly checkpoints: List<Checkpoint>;
  readonly keys: { readonly data: readonly Key[] };
  readonly domains: { readonly allowed_origins: readonly string[] };
  readonly branding: Branding;
  readonly team: { readonly data: readonly Access[] };
  readonly passkeys: { readonly data: readonly Passkey[] };
  readonly audit: List<AuditEntry>;
  readonly trail: List<AuditEntry>;
  readonly approvals: List<Approval>;
  readonly partners: { readonly data: readonly { readonly [field: string]: Json }[] };
  readonly partner: { readonly [field: string]: Json };
  readonly stuck: Json;
  readonly oldest: Json;
  readonly held: Json;
  readonly pools: List<PoolRow>;
  readonly dead_letters: List<DeadLetters>;
  readonly wallets: List<Wallet>;
  readonly operations: List<LegOperation>;
  readonly operation: LegOperationView;
}

export type ResourceName = keyof Resources;

/** A resource to read and its path. */
export interface Need {
  readonly name: ResourceName;
  readonly path: string;
  /** Whether it is about the installation, whatever partner the page shows. */
  readonly isOfInstallation?: true;
}

/** The stream topics after which each resource is reloaded. */
const TOPICS: Readonly<Record<ResourceName, readonly string[]>> = {
  overview: ['sessions', 'deliveries', 'settings'],
  totals: ['sessions', 'transactions'],
  activity: ['sessions', 'deliveries'],
  held_money: ['sessions', 'work'],
  failed_work: ['deliveries', 'work'],
  alarms: ['sessions', 'deliveries', 'work'],
  sessions: ['sessions'],
  session: ['sessions'],
  history: ['events', 'deliveries'],
  transactions: ['transactions'],
  transaction: ['transactions'],
  events: ['events'],
  event: ['events'],
  deliveries: ['deliveries'],
  delivery: ['deliveries'],
  object: ['sessions', 'transactions', 'events', 'deliveries'],
  endpoint: ['deliveries', 'settings'],
  clock: ['sessions', 'events', 'deliveries'],
  checkpoints: ['settings'],
  keys: ['settings'],
  domains: ['settings'],
  branding: ['settings'],
  team: ['settings'],
  passkeys: ['settings'],
  audit: ['settings'],
  trail: ['partners'],
  approvals: ['settings'],
  partners: ['partners'],
  partner: ['partners'],
  stuck: ['work'],
  oldest: ['work'],
  held: ['work'],
  pools: [],
  dead_letters: ['work'],
  wallets: ['work'],
  operations: ['work'],
  operation: ['work'],
};

/** Expensive resources: they take statements for each state, hour or day. */
const BY_MINUTE: ReadonlySet<string> = new Set<ResourceName>(['totals', 'activity']);

export function paceOf(name: string): Pace {
  return BY_MINUTE.has(name) ? 'by_minute' : 'at_once';
}

export function concerns(name: string, topics: readonly string[]): boolean {
  return Object.entries(TOPICS).some(([one, own]) => one === name && own.some((topic) => topics.includes(topic)));
}

/** Rows of a page of a list. */
export const PAGE_SIZE = 25;

const TRAIL = ['action', 'actor', 'from', 'to'] as const;

/** The filters of the lists, as `/console/v1` names them. */
export const FILTERS = {
  sessions: ['status', 'payment', 'flow', 'currency', 'user_reference', 'created_after', 'created_before'],
  transactions: ['status', 'flow', 'session_id', 'created_after', 'created_before'],
  events: ['type', 'session_id', 'created_after', 'created_before'],
  deliveries: ['status', 'event_type', 'session_id', 'created_after', 'created_before'],
  audit: TRAIL,
  trail: TRAIL,
} as const satisfies Partial<Record<ResourceName, readonly string[]>>;

const HELD_MONEY: Need = { name: 'held_money', path: 'held_money', isOfInstallation: true };
const FAILED_WORK: Need = { name: 'failed_work', path: 'failed_work', isOfInstallation: true };
const ALARMS: Need = { name: 'alarms', path: 'alarms', isOfInstallation: true };

/** What continues a list. */
const CURSORS = ['starting_after', 'ending_before'];

/** The resources that a page shows to this person. */
export function needsOf({ name, id, query }: Page, me: Me | null): readonly Need[] {
  const key = encodeURIComponent(id ?? '');
  const caused: Need = { name: 'object', path: `objects/${key}` };
  switch (name) {
    case 'home':
      return [
        { name: 'overview', path: 'overview' },
        { name: 'totals', path: withQuery('totals', { period: periodOf(query) }) },
        { name: 'activity', path: 'activity' },
        ...(me?.kind === 'operator' ? [HELD_MONEY, FAILED_WORK] : []),
        ...(me?.features.alarms === true ? [ALARMS] : []),
      ];
    case 'sessions':
      return [
        query['payment'] === undefined
          ? { name, path: listPath(name, query, FILTERS[name]) }
          : { name, path: listPath('session_payments', query, FILTERS[name], ['after']) },
      ];
    case 'transactions':
    case 'events':
    case 'deliveries':
      return [{ name, path: listPath(name, query, FILTERS[name]) }];
    case 'session':
      return [
        { name: 'session', path: `sessions/${key}` },
        { name: 'history', path: `sessions/${key}/history` },
        { name: 'deliveries', path: withQuery('deliveries', { session_id: id ?? '', limit: '50' }) },
        caused,
      ];
    case 'transaction':
      return [{ name, path: `transactions/${key}` }, caused];
    case 'event':
      return [{ name, path: `events/${key}` }, caused];
    case 'delivery':
      return [{ name, path: `deliveries/${key}` }, caused];
    case 'file':
      return [];
    case 'object':
      return [caused];
    case 'endpoint':
    case 'keys':
    case 'domains':
    case 'branding':
    case 'team':
    case 'approvals':
    case 'partners':
    case 'pools':
    case 'wallets':
    case 'dead_letters':
      return [{ name, path: name }];
    case 'passkeys':
      return [{ name, path: 'me/passkeys' }];
    case 'clock':
      return [
        { name, path: name },
        { name: 'checkpoints', path: 'checkpoints' },
      ];
    case 'audit':
    case 'trail':
      return [{ name, path: listPath(name, query, FILTERS[name], ['before']) }];
    case 'operations': {
      const { mode = 'live', stuck = 'true', starting_after: after = '' } = query;
      return [{ name, path: withQuery(name, { mode, stuck, starting_after: after, limit: String(PAGE_SIZE) }) }];
    }
    case 'operation':
      return [{ name, path: `operations/${key}` }];
    case 'partner':
      return [{ name, path: `partners/${key}` }];
    case 'work':
      return [
        { name: 'stuck', path: 'work/stuck' },
        { name: 'oldest', path: 'work/oldest' },
        { name: 'held', path: 'work/held' },
      ];
  }
}

/** The period that the home page shows. */
export function periodOf({ period }: Query): 'day' | 'month' {
  return period === 'month' ? 'month' : 'day';
}

function listPath(name: string, query: Query, filters: readonly string[], cursors = CURSORS): string {
  const taken = Object.entries(query).filter(([field]) => filters.includes(field) || cursors.includes(field));
  return withQuery(name, { ...Object.fromEntries(taken), limit: String(PAGE_SIZE) });
}

/** A path with those parameters that are not empty. A day is sent as its first instant. */
export function withQuery(path: string, query: Query): string {
  const given = Object.entries(query)
    .filter(([, value]) => value !== '')
    .map(([field, value]): [string, string] => [field, isDay(value) ? `${value}T00:00:00.000Z` : value]);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

const isDay = (value: string): boolean => /^\d{4}-\d\d-\d\d$/.test(value);

/** A path with the partner and mode that it is about. */
export function scoped(path: string, scope: Scope | null): string {
  if (scope === null) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ partner: scope.partner, mode: scope.mode })}`;
}
