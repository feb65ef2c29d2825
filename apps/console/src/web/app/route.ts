import type { Mode } from '../wire/types.js';

/** The pages that belong to one partner and mode. */
export const PARTNER_PAGES = [
  'home',
  'sessions',
  'session',
  'transactions',
  'transaction',
  'events',
  'event',
  'deliveries',
  'delivery',
  'object',
  'endpoint',
  'keys',
  'clock',
  'file',
  'domains',
  'branding',
  'team',
  'passkeys',
  'audit',
  'approvals',
] as const;

/** The pages of operators, over all partners. */
export const OPERATOR_PAGES = [
  'partners',
  'partner',
  'work',
  'dead_letters',
  'pools',
  'wallets',
  'operations',
  'operation',
  'trail',
] as const;

export type PageName = (typeof PARTNER_PAGES)[number] | (typeof OPERATOR_PAGES)[number];

/** A partner and a mode. Only operators have it in the address; the session of a partner's own user has its own. */
export interface Scope {
  readonly partner: string;
  readonly mode: Mode;
}

export type Query = Readonly<Record<string, string>>;

export interface Page {
  readonly name: PageName;
  readonly id: string | null;
  readonly query: Query;
}

export interface Route {
  readonly scope: Scope | null;
  /** Null for an address that leads nowhere. */
  readonly page: Page | null;
}

const WITH_ID = new Set<PageName>(['session', 'transaction', 'event', 'delivery', 'object', 'partner', 'operation']);

/**
 * Reads a fragment such as `#/sessions?status=open`, or `#/test/65f0…/sessions` of an operator. Pages live in the fragment, so that ids and
 * filters reach no server log, and the console works below any path.
 */
export function readRoute(fragment: string): Route {
  const [path = '', search = ''] = fragment.replace(/^#?\/?/, '').split('?', 2);
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  const [mode, partner] = parts;
  const scope: Scope | null = (mode === 'test' || mode === 'live') && partner !== undefined ? { mode, partner } : null;
  const [name = 'home', id = null, ...rest] = scope === null ? parts : parts.slice(2);
  const isPage = isPageName(name) && rest.length === 0 && WITH_ID.has(name) === (id !== null);
  return { scope, page: isPage ? { name, id, query: Object.fromEntries(new URLSearchParams(search)) } : null };
}

/** The fragment of a page, the inverse of `readRoute`. Empty filters are left out. */
export function hrefOf(scope: Scope | null, name: PageName, id: string | null = null, query: Query = {}): string {
  const isPartners = !(OPERATOR_PAGES as readonly string[]).includes(name);
  const parts = [
    ...(scope !== null && isPartners ? [scope.mode, scope.partner] : []),
    name,
    ...(id === null ? [] : [id]),
  ];
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  return `#/${parts.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
}

const isPageName = (name: string): name is PageName =>
  (PARTNER_PAGES as readonly string[]).includes(name) || (OPERATOR_PAGES as readonly string[]).includes(name);

export const isOperatorPage = (name: PageName): boolean => (OPERATOR_PAGES as readonly string[]).includes(name);

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
