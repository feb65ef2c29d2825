import { type AuditedChange, type AuditTarget, type Delivery, MINUTE, type Scope, SECOND } from '@gateramp/core/domain';
import { type Engine, later, type Listener } from '@gateramp/core/extension';
import {
  type Change,
  type EngineStore,
  EVERY_ENTRY,
  type Marks,
  type MarksRequest,
  type ScopeMarks,
} from '@gateramp/core/ports';

/** What may have changed. `settings` is everything that the audit trail records; the last two are about the whole installation. */
export type ChangeTopic = 'sessions' | 'transactions' | 'events' | 'deliveries' | 'settings' | 'partners' | 'work';

/** Callbacks for changes. They must not throw. */
export interface ChangeFollower {
  /** Something of these topics may have changed. Read the data as usual. */
  readonly onChange: (topics: ReadonlySet<ChangeTopic>) => void;
  /** Someone's access through an extension may have changed. Also called once after following begins, for a change just before. */
  readonly onAccess: () => void;
}

interface Parts {
  /** One statement for all followers. */
  readonly read: (request: MarksRequest) => Promise<Marks>;
  readonly later: (run: () => void, delayMs: number) => () => void;
  /** Whether this is what lets someone in. */
  readonly isAccess: (target: AuditTarget) => boolean;
  readonly onError: (error: unknown) => void;
}

/** The time between two reads: after a change, and at most while nothing changes. */
const POLL_MIN_MS = 2 * SECOND;
const POLL_MAX_MS = MINUTE;

/** How long after a new event an older one may be committed, which no mark shows. Longer than any statement of a commit may take. */
const LATE_MS = 16 * SECOND;

const INSTALLATION = '';

interface Followed extends ChangeFollower {
  readonly scope: Scope | null;
  isNew: boolean;
}

/**
 * Notifies followers of changes: of this process's commits at once, and of other processes' commits by one read for all followers, at
 * intervals that grow while nothing changes. Without followers nothing is read.
 */
export class Changes implements Listener {
  private readonly followers = new Set<Followed>();
  private readonly marks = new Map<string, ScopeMarks>();
  /** The newest event of this process in each scope, which was announced when it was committed. */
  private readonly ownEvents = new Map<string, string>();
  /** Scopes in which an event may be committed late, and for how long. They are announced at each read. */
  private readonly lateMs = new Map<string, number>();
  private installation: Pick<Marks, 'audit' | 'work'> | null = null;
  private pauseMs = POLL_MIN_MS;
  /** The time between the last two reads, or less. */
  private waitedMs = 0;
  private cancelPoll: (() => void) | null = null;
  private isPolling = false;

  constructor(private readonly parts: Parts) {}

  /** `scope` null: of the installation. Returns a function that ends it. */
  follow(scope: Scope | null, follower: ChangeFollower): () => void {
    const one: Followed = { ...follower, scope, isNew: true };
    this.followers.add(one);
    this.pollIn(0);
    return () => {
      this.followers.delete(one);
      if (this.followers.size > 0) return;
      this.cancelPoll?.();
      this.cancelPoll = null;
      this.marks.clear();
      this.ownEvents.clear();
      this.lateMs.clear();
      this.installation = null;
    };
  }

  /** A change that this process has committed. */
  committed(change: Change): void {
    if (this.followers.size === 0) return;
    const topics = new Set<ChangeTopic>();
    if (change.sessions.length > 0) topics.add('sessions');
    if (change.transactions.length > 0) topics.add('transactions');
    if (change.events.length > 0) topics.add('events');
    if (change.deliveries.length + change.replays.length > 0) topics.add('deliveries');
    this.announce(change.scope, topics);
    const event = change.events.at(-1);
    if (event !== undefined && this.marks.has(nameOf(change.scope))) this.ownEvents.set(nameOf(change.scope), event.id);
    const isWork = change.sessions.length + change.tasks.length + change.finishes.length > 0;
    if (isWork) this.announce(null, new Set(['work']));
  }

  attempted(delivery: Delivery): void {
    if (this.followers.size > 0 && delivery.target === 'webhook') this.announce(delivery, new Set(['deliveries']));
  }

  audited(entries: readonly AuditedChange[]): void {
    if (this.followers.size === 0) return;
    for (const one of [...this.followers])
      if (entries.some(({ partnerId, mode }) => concerns(one.scope, partnerId, mode)))
        one.onChange(new Set([one.scope === null ? 'partners' : 'settings']));
    if (entries.some(({ target }) => this.parts.isAccess(target)))
      for (const one of [...this.followers]) one.onAccess();
  }

  private announce(scope: Scope | null, topics: ReadonlySet<ChangeTopic>): void {
    if (topics.size === 0) return;
    let isFollowed = false;
    for (const one of [...this.followers]) {
      if (nameOf(one.scope) !== nameOf(scope)) continue;
      isFollowed = true;
      one.onChange(topics);
    }
    // Another process may do the work that follows from it.
    if (isFollowed && this.pauseMs > POLL_MIN_MS) this.pollIn(POLL_MIN_MS);
  }

  private pollIn(delayMs: number): void {
    this.pauseMs = Math.max(POLL_MIN_MS, delayMs);
    if (this.isPolling) return;
    this.waitedMs = delayMs;
    this.cancelPoll?.();
    this.cancelPoll = this.parts.later(() => void this.poll(), delayMs);
  }

  private async poll(): Promise<void> {
    this.cancelPoll = null;
    this.isPolling = true;
    const pausedMs = this.pauseMs;
    const read = [...this.followers];
    const scopes = [...new Map(read.flatMap(({ scope }) => (scope === null ? [] : [[nameOf(scope), scope]]))).values()];
    let hasChanged = false;
    try {
      const marks = await this.parts.read({ scopes, work: read.some(({ scope }) => scope === null) });
      if (this.followers.size > 0) hasChanged = this.compare(scopes, marks, read);
    } catch (error) {
      this.parts.onError(error);
    }
    this.isPolling = false;
    if (this.followers.size === 0) return;
    const hasNew = [...this.followers].some(({ isNew }) => isNew);
    // An earlier read may have been requested during this one.
    const isAsked = this.pauseMs < pausedMs;
    const pauseMs = hasChanged || isAsked ? POLL_MIN_MS : Math.min(pausedMs * 2, POLL_MAX_MS);
    this.pollIn(hasNew && !read.some(({ isNew }) => isNew) ? 0 : pauseMs);
  }

  /** Whether anything has changed since the last read. */
  private compare(scopes: readonly Scope[], marks: Marks, read: readonly Followed[]): boolean {
    const topicsOf = new Map<string, ReadonlySet<ChangeTopic>>();
    let hasChanged = false;
    for (const [index, scope] of scopes.entries()) {
      const [name, next] = [nameOf(scope), marks.scopes[index]];
      if (next === undefined) continue;
      const before = this.marks.get(name);
      this.marks.set(name, next);
      const hasNewEvent = before === undefined ? next.events !== null : before.events !== next.events;
      const lateMs = this.lateMs.get(name) ?? 0;
      this.lateMs.set(name, hasNewEvent ? LATE_MS : lateMs - this.waitedMs);
      if (before === undefined) continue;
      const topics = new Set<ChangeTopic>();
      if (lateMs > 0 || (hasNewEvent && this.ownEvents.get(name) !== next.events))
        for (const topic of ['sessions', 'transactions', 'events', 'deliveries'] as const) topics.add(topic);
      if (before.deliveries !== next.deliveries) topics.add('deliveries');
      if (before.settings !== next.settings) topics.add('settings');
      hasChanged ||= hasNewEvent || before.deliveries !== next.deliveries || before.settings !== next.settings;
      topicsOf.set(name, topics);
    }
    const last = this.installation;
    this.installation = marks;
    const isAudited = last !== null && last.audit !== marks.audit;
    const general = new Set<ChangeTopic>();
    if (isAudited) general.add('partners');
    if (last !== null && last.work !== null && last.work !== marks.work) general.add('work');
    topicsOf.set(INSTALLATION, general);
    for (const one of read) {
      if (!this.followers.has(one)) continue;
      const topics = topicsOf.get(nameOf(one.scope));
      if (topics !== undefined && topics.size > 0) one.onChange(topics);
      // The marks do not say which entry was added.
      if (isAudited || one.isNew) one.onAccess();
      one.isNew = false;
    }
    return hasChanged || isAudited || general.size > 0;
  }
}

/** The changes of a gate. */
export function changesOf({ store, operator, access, telemetry }: Engine): Changes {
  return new Changes({
    read: (request) => (operator === null ? auditMark(store, request) : operator.marks(request)),
    later,
    isAccess: ({ type }) => access.some(({ creations }) => type in creations),
    onError: (error) => telemetry.failure(error, { place: 'change watch' }),
  });
}

/** Without the port `operator`, only the audit trail shows what other processes change. */
async function auditMark(store: EngineStore, { scopes }: MarksRequest): Promise<Marks> {
  const [newest] = await store.listAudit({ ...EVERY_ENTRY, order: 'newest_first', beyond: null, limit: 1 });
  const unknown = { events: null, deliveries: '', settings: 0 };
  return { scopes: scopes.map(() => unknown), audit: newest?.sequence ?? 0, work: null };
}

function nameOf(scope: Scope | null): string {
  return scope === null ? INSTALLATION : `${scope.partnerId}/${scope.mode}`;
}

/** Followers of the installation see every entry; others those of their partner, in their mode or of both. */
function concerns(scope: Scope | null, partnerId: string | null, mode: Scope['mode'] | null): boolean {
  return scope === null || (scope.partnerId === partnerId && (mode === null || mode === scope.mode));
}
