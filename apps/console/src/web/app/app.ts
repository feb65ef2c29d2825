import type { Ahead, ApiResult, Refusal } from '../wire/refusal.js';
import type { HistoryFile } from '../time/history-file.js';
import type { Call } from '../wire/api.js';
import type { Doors, Found, Identity, Me } from '../wire/types.js';
import type { Form, FormEvent } from './form.js';
import { scoped, type Need, type ResourceName, type Resources } from './needs.js';
import type { Pace } from '../host/live.js';
import { hasRank, type Permission } from './permission.js';
import { isOperatorPage, type PageName, type Query, type Route, type Scope } from './route.js';

export type Theme = 'light' | 'dark';

/** Settings of this browser, kept in its storage. */
export interface Settings {
  readonly language: string;
  /** Null follows the theme of the device. */
  readonly theme: Theme | null;
}

/** Why the visitor is not signed in. */
export type Outside = 'no_session' | 'invalid_invite' | 'expired' | 'left' | 'passkey_refused' | 'enrolled';

/**
 * Whether the person is signed in. `opening` ends with an answer: `inside`, `outside` (with the reason) or `unreachable`, from which one
 * may try again. `asking` keeps the code of a sign-in link while another session is open, which must not be replaced without a question;
 * both answers lead to `opening`. It is also asked before a passkey replaces a session. `enrolling` keeps the code of a link that registers
 * a passkey; the answer leads `outside`, to sign in with it.
 */
export type Door =
  | { readonly at: 'opening' }
  | { readonly at: 'inside'; readonly me: Me }
  /** `doors` is null until it is known how people sign in. */
  | { readonly at: 'outside'; readonly why: Outside; readonly doors: Doors | null }
  | Question
  | { readonly at: 'enrolling'; readonly code: string }
  | { readonly at: 'unreachable'; readonly refusal: Refusal };

/** Whether a sign-in link or a passkey may replace the open session. `link` is null if the link no longer works. */
export interface Question {
  readonly at: 'asking';
  /** Null of a passkey. */
  readonly code: string | null;
  readonly current: Identity;
  readonly link: Identity | null;
}

/** A resource being read. Its former value stays visible while it is read again. */
export type Remote<Value> =
  | { readonly at: 'loading' }
  | { readonly at: 'ready'; readonly value: Value; readonly isStale: boolean }
  | { readonly at: 'refused'; readonly refusal: Refusal };

/** A resource with the path it was read from, so that a late answer to an earlier page is recognised. */
export type Loaded = {
  readonly [Name in ResourceName]?: {
    readonly path: string;
    readonly remote: Remote<Resources[Name]>;
    /** It may have changed since the last read was sent, so it is read once more, after a read in progress has been answered. */
    readonly isOutdated?: true;
  };
};

export interface Search {
  readonly text: string;
  readonly isOpen: boolean;
  readonly found: Remote<readonly Found[]> | null;
  /** Whether there were too many partners to search them all. */
  readonly isPartial?: boolean;
}

export interface App {
  readonly settings: Settings;
  readonly door: Door;
  readonly route: Route;
  readonly loaded: Loaded;
  readonly search: Search;
  readonly form: Form | null;
  readonly isMenuOpen: boolean;
  /** The clocks of the last answer to what the page shows. */
  readonly ahead: Ahead;
  /** The message about what has just been done; null once dismissed. */
  readonly notice: Notice | null;
  /** A history from another console; `invalid` if the chosen file is not a history. It never leaves the browser. */
  readonly file?: HistoryFile | 'invalid' | undefined;
}

export type Notice = 'copied' | 'saved' | 'replayed' | 'queued' | 'requested' | 'returned' | Stopped;

/** Why an advance to the end of a session stopped. */
export type Stopped = 'ended' | 'waits_for_buyer' | 'nothing_due' | 'limit';

/** A one-time link by which the page was opened: to sign in, or to register a passkey. */
export interface Link {
  readonly for: 'session' | 'passkey';
  readonly code: string;
}

export type AppEvent =
  /** The page has loaded, with the code of an invite or without one. */
  | { readonly type: 'began'; readonly link: Link | null }
  | { readonly type: 'doors_answered'; readonly answer: ApiResult<Doors> }
  | { readonly type: 'chose_passkey' }
  | { readonly type: 'passkey_answered'; readonly answer: ApiResult<Me> }
  | { readonly type: 'enrolled'; readonly answer: ApiResult<unknown> }
  | { readonly type: 'entered'; readonly byCode: boolean; readonly answer: ApiResult<Me> }
  | { readonly type: 'session_found'; readonly question: Question }
  | { readonly type: 'answered_question'; readonly isLinkUsed: boolean }
  | { readonly type: 'went'; readonly route: Route }
  /** Changes the query in place, without an entry in the browser's history. */
  | { readonly type: 'moved'; readonly query: Query }
  | { readonly type: 'answered'; readonly need: Need; readonly answer: ApiResult<unknown> }
  | { readonly type: 'reloaded' }
  /** From now on changes cause hints; one that was committed just before is in no hint, and perhaps in no answer. */
  | { readonly type: 'stream_opened' }
  /** Hints from the stream: the topics that may have changed. */
  | { readonly type: 'changed'; readonly topics: readonly string[]; readonly pace: Pace }
  /** The session ended or was revoked outside this page. */
  | { readonly type: 'session_ended' }
  | { readonly type: 'tried_again' }
  | { readonly type: 'searched'; readonly text: string }
  | {
      readonly type: 'search_answered';
      readonly text: string;
      readonly answer: ApiResult<readonly Found[]>;
      readonly isPartial?: boolean;
    }
  | { readonly type: 'closed_search' }
  | { readonly type: 'toggled_menu' }
  | { readonly type: 'chose'; readonly settings: Partial<Settings> }
  | { readonly type: 'copied'; readonly text: string }
  | { readonly type: 'read_file'; readonly text: string }
  | { readonly type: 'dismissed' }
  | { readonly type: 'signed_out' }
  | { readonly type: 'sign_out_answered'; readonly answer: ApiResult<unknown> }
  | FormEvent;

export type Effect =
  | { readonly type: 'enter'; readonly code: string | null }
  | { readonly type: 'replace_session'; readonly code: string }
  | { readonly type: 'ask_doors' }
  | { readonly type: 'use_passkey'; readonly isReplacing: boolean }
  | { readonly type: 'make_passkey'; readonly code: string }
  | { readonly type: 'load'; readonly need: Need; readonly path: string }
  | { readonly type: 'search'; readonly text: string; readonly path: string }
  | { readonly type: 'send'; readonly call: Call }
  /** Makes a passkey on this device, and sends it with the call. */
  | { readonly type: 'add_passkey'; readonly call: Call }
  /** Replaces the address without a new entry in the history. */
  | { readonly type: 'replace'; readonly href: string }
  | { readonly type: 'keep'; readonly settings: Settings }
  | { readonly type: 'copy'; readonly text: string }
  | { readonly type: 'leave' };

export interface Change {
  readonly app: App;
  readonly effects: readonly Effect[];
}

/** The partner and mode that the page is about: of the session itself, or of the address. */
export function scopeOf(app: App): Scope | null {
  if (app.door.at !== 'inside') return null;
  const { partner, mode, kind, partners } = app.door.me;
  if (kind === 'portal') return partner === null || mode === null ? null : { partner: partner.id, mode };
  const [first] = partners;
  return app.route.scope ?? (first === undefined ? null : { partner: first.id, mode: 'test' });
}

/** The path of the stream of changes to the page that is shown. Null for a page without a stream. */
export function streamPathOf(app: App): string | null {
  const { page } = app.route;
  if (app.door.at !== 'inside' || page === null) return null;
  if (isOperatorPage(page.name)) return 'stream';
  return scopeOf(app) === null ? null : scoped('stream', namedScopeOf(app));
}

export const isOperator = ({ door }: App): boolean => door.at === 'inside' && door.me.kind === 'operator';

/** The scope to name in addresses and calls: only operators name one. */
export function namedScopeOf(app: App): Scope | null {
  return isOperator(app) ? scopeOf(app) : null;
}

export function mayDo(app: App, permission: Permission): boolean {
  if (app.door.at !== 'inside') return false;
  return hasRank(app.door.me.roles, permission[scopeOf(app)?.mode ?? 'live']);
}

/** Whether time can be moved here: in test mode, where the installation has a test clock. */
export function hasClock(app: App): boolean {
  return app.door.at === 'inside' && app.door.me.features.test_clock && scopeOf(app)?.mode === 'test';
}

/** Whether the menu leads to a page: what this person or installation does not have, would be refused. */
export function isInMenu(app: App, page: PageName): boolean {
  if (app.door.at !== 'inside') return false;
  if (page === 'clock') return hasClock(app);
  const { legs: operations, wallets, trail, passkeys } = app.door.me.features;
  const features: Partial<Record<PageName, boolean>> = { operations, wallets, trail, passkeys };
  return features[page] ?? true;
}

/** The time by which the page is read. What concerns people and the installation, and pages of operators, have the time of live mode. */
export function nowOf({ ahead, route: { page } }: App, clock: keyof Ahead, deviceNow: number): number {
  return deviceNow + ahead[page !== null && isOperatorPage(page.name) ? 'live' : clock];
}
