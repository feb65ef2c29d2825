import { SECOND } from '../../domain/instant.js';
import { Resolver } from 'node:dns/promises';
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { systemTimers, type Timers, unref } from '../scheduling/timers.js';

const SYSTEM_HOSTS_FILE =
  process.platform === 'win32' ? String.raw`C:\Windows\System32\drivers\etc\hosts` : '/etc/hosts';

/** The addresses of `localhost` names without an entry in the hosts file (RFC 6761); name servers are never asked for them. */
const LOOPBACK: readonly string[] = ['127.0.0.1', '::1'];

type Hosts = ReadonlyMap<string, readonly string[]>;

/**
 * Addresses of a name in the machine's hosts file; null if it has none. The file is read again when it has changed. Synchronously, because
 * a webhook's look-up must never wait for the thread pool.
 */
function hostsFile(path = SYSTEM_HOSTS_FILE): (hostname: string) => readonly string[] | null {
  let readAt: number | null = null;
  let hosts: Hosts = new Map();
  return (hostname) => {
    const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
    if (changedAt !== readAt) hosts = changedAt === null ? new Map() : parseHosts(readFileSync(path, 'utf8'));
    readAt = changedAt;
    const name = hostname.toLowerCase().replace(/\.$/, '');
    return hosts.get(name) ?? (/(^|\.)localhost$/.test(name) ? LOOPBACK : null);
  };
}

/** Each line is an address and its names; a name may be on several lines. */
function parseHosts(text: string): Hosts {
  const hosts = new Map<string, readonly string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) hosts.set(name.toLowerCase(), [...(hosts.get(name.toLowerCase()) ?? []), address]);
  }
  return hosts;
}

/** All addresses of a host name. Rejects if there is no answer, or soon after `signal` aborts. */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

/** The name servers and hosts file to use. */
export interface ResolverOptions {
  /** Name servers as `address` or `address:port`; by default the system's. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
}

/** Time limit and number of tries of one query to one server, as UDP may lose packets. The whole look-up has its own limit. */
const QUESTION_TIMEOUT_MS = 1_500;
const TRIES = 2;

/** Many servers drop AAAA queries. Once one kind of address is found, the other is awaited only this long. */
const OTHER_KIND_MS = 300;

/**
 * Uses the hosts file, then name servers by c-ares, which needs no thread: `dns.lookup` has two for the whole process, and two unresponsive
 * names would block all other look-ups, including the database's. Names are queried as written, without search domains.
 */
export function systemResolve({ servers, hostsFile: path }: ResolverOptions = {}): ResolveHost {
  const hosts = hostsFile(path);
  return async (hostname, signal) => {
    const own = hosts(hostname);
    if (own !== null) return own;
    // One resolver per look-up, so that cancelling it does not affect others and changes of resolv.conf take effect.
    const resolver = new Resolver({ timeout: QUESTION_TIMEOUT_MS, tries: TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = (): void => resolver.cancel();
    signal.addEventListener('abort', cancel);
    try {
      return await bothKinds(resolver, hostname);
    } finally {
      signal.removeEventListener('abort', cancel);
      resolver.cancel();
    }
  };
}

async function bothKinds(resolver: Resolver, hostname: string): Promise<readonly string[]> {
  const kinds = [resolver.resolve4(hostname), resolver.resolve6(hostname)];
  let timer: NodeJS.Timeout | undefined;
  const hasOne = (addresses: readonly string[]): void => {
    if (addresses.length > 0) timer ??= setTimeout(() => resolver.cancel(), OTHER_KIND_MS);
  };
  for (const kind of kinds) kind.then(hasOne, () => undefined);
  const answers = await Promise.allSettled(kinds);
  clearTimeout(timer);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
  if (found.length === 0) throw new Error('No address was found.', { cause: failures[0] });
  return found;
}

export interface LookupLimits {
  /** Time limit of a look-up; the rest of the attempt's time is for the receiver. */
  readonly timeoutMs: number;
  /** Maximum number of concurrent look-ups. From half of it on, each partner may have one. */
  readonly inFlightMax: number;
  /** Maximum number of concurrent look-ups per partner while there is room. */
  readonly perPartnerMax: number;
  /** How long addresses are cached. */
  readonly keptMs: number;
  /** How long a failed look-up is cached. */
  readonly failureKeptMs: number;
}

export const LOOKUP_LIMITS: LookupLimits = {
  timeoutMs: 5 * SECOND,
  inFlightMax: 256,
  perPartnerMax: 4,
  keptMs: 3 * SECOND,
  failureKeptMs: 10 * SECOND,
};

/** Keeps the look-up of a name going from an attempt's start to its end. */
export interface LookupSubscription {
  /** Whether the name is unresolved and a look-up is running or queued. */
  isPending(): boolean;
  /** Ends the subscription; the look-up is cancelled with its last subscription. */
  end(): void;
}

/**
 * Look-ups of receivers' names. At most one per name runs at a time and is shared; the number per partner and in total is limited, so that
 * one partner's unresponsive name servers do not block others; results are cached briefly. Callers subscribe to a name before they resolve
 * it.
 */
export class NameLookups {
  /** Names with subscribers or with a cached result. */
  private readonly names = new Map<string, Name>();
  private readonly waiting = new Set<Name>();
  private readonly runningOf = new Map<string, number>();
  private running = 0;

  constructor(
    private readonly resolveHost: ResolveHost,
    private readonly limits: LookupLimits,
    private readonly timers: Timers = systemTimers,
  ) {}

  subscribe(hostname: string, partnerId: string): LookupSubscription {
    let name = this.names.get(hostname);
    if (name === undefined) {
      name = new Name(hostname);
      this.names.set(hostname, name);
    }
    return new Subscription(name, partnerId, this.giveUp);
  }

  /** Rejects if there is no answer in time. */
  resolve(hostname: string): Promise<readonly string[]> {
    const name = this.names.get(hostname);
    if (name === undefined || name.subscribers.size === 0)
      return Promise.reject(new Error('No webhook is waiting for this host name.'));
    if (name.known !== null) return name.known;
    if (name.lookup === null) {
      name.lookup = new Lookup();
      this.waiting.add(name);
    }
    // Also for a queued name: the new subscriber's partner may have a free slot that the others lack.
    if (this.waiting.has(name)) this.beginWaiting();
    return name.lookup.answer;
  }

  private beginWaiting(): void {
    for (const name of this.waiting) {
      if (this.running >= this.limits.inFlightMax) return;
      const partnerId = [...name.subscribers.keys()].find((subscriber) => this.mayBegin(subscriber));
      if (partnerId === undefined || name.lookup === null) continue;
      this.waiting.delete(name);
      void this.run(name, name.lookup, partnerId);
    }
  }

  /** The second half of the slots is for partners without a running look-up. */
  private mayBegin(partnerId: string): boolean {
    const { inFlightMax, perPartnerMax } = this.limits;
    const most = this.running < inFlightMax / 2 ? perPartnerMax : 1;
    return (this.runningOf.get(partnerId) ?? 0) < most;
  }

  private async run(name: Name, lookup: Lookup, partnerId: string): Promise<void> {
    this.running += 1;
    addTo(this.runningOf, partnerId, 1);
    const timer = this.timers.setTimeout(
      () => lookup.fail(new Error('The host name was not resolved in time.')),
      this.limits.timeoutMs,
    );
    this.resolveHost(name.hostname, lookup.signal).then(
      (addresses) => lookup.succeed(addresses),
      (error: unknown) => lookup.fail(error),
    );
    const hasAnswer = await lookup.hasAnswer();
    this.timers.clearTimeout(timer);
    this.running -= 1;
    addTo(this.runningOf, partnerId, -1);
    // Otherwise it was cancelled meanwhile, which says nothing about the name.
    if (name.lookup === lookup) {
      name.lookup = null;
      if (hasAnswer) name.answers += 1;
      this.remember(name, lookup.answer, hasAnswer ? this.limits.keptMs : this.limits.failureKeptMs);
    }
    this.beginWaiting();
  }

  private remember(name: Name, known: Promise<readonly string[]>, keptMs: number): void {
    name.known = known;
    const timer = this.timers.setTimeout(() => {
      name.known = null;
      this.forgetUnused(name);
    }, keptMs);
    unref(timer);
  }

  private readonly giveUp = (name: Name): void => {
    this.waiting.delete(name);
    name.lookup?.fail(new Error('No webhook is waiting for this host name any longer.'));
    name.lookup = null;
    this.forgetUnused(name);
  };

  private forgetUnused(name: Name): void {
    if (name.subscribers.size === 0 && name.known === null) this.names.delete(name.hostname);
  }
}

class Name {
  /** Number of subscribed attempts per partner. */
  readonly subscribers = new Map<string, number>();
  lookup: Lookup | null = null;
  known: Promise<readonly string[]> | null = null;
  /** Number of successful look-ups. */
  answers = 0;

  constructor(readonly hostname: string) {}
}

class Subscription implements LookupSubscription {
  private readonly wasKnown: boolean;
  private readonly answersBefore: number;
  private hasEnded = false;

  constructor(
    private readonly name: Name,
    private readonly partnerId: string,
    private readonly giveUp: (name: Name) => void,
  ) {
    addTo(name.subscribers, partnerId, 1);
    this.wasKnown = name.known !== null;
    this.answersBefore = name.answers;
  }

  isPending(): boolean {
    return this.name.lookup !== null && !this.wasKnown && this.name.answers === this.answersBefore;
  }

  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    addTo(this.name.subscribers, this.partnerId, -1);
    if (this.name.subscribers.size === 0) this.giveUp(this.name);
  }
}

/** A pending answer. Settling it in any way also ends the query. */
class Lookup {
  private readonly query = new AbortController();
  private settle: {
    readonly resolve: (addresses: readonly string[]) => void;
    readonly reject: (error: unknown) => void;
  } | null = null;

  readonly answer = new Promise<readonly string[]>((resolve, reject) => {
    this.settle = { resolve, reject };
  });

  get signal(): AbortSignal {
    return this.query.signal;
  }

  succeed(addresses: readonly string[]): void {
    this.settle?.resolve(addresses);
    this.query.abort();
  }

  fail(error: unknown): void {
    this.settle?.reject(error);
    this.query.abort();
  }

  /** Never rejects. */
  hasAnswer(): Promise<boolean> {
    return this.answer.then(
      (addresses) => addresses.length > 0,
      () => false,
    );
  }
}

function addTo(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
