import { isBlocked, type RateRule, resetSeconds } from '@gateramp/core/domain';
import type { RateLimits } from '@gateramp/core/ports';
import { inTime } from './host-calls.js';
import { type Refusal, refusal } from './refusal.js';
import type { Visitor } from './visitor.js';

/** Where the requests to the console are counted. */
export interface ConsoleRateLimits {
  /** The port that the gate has too. */
  readonly limits: RateLimits;
  /** Multiplies every limit; 1 by default. */
  readonly factor?: number;
}

const perMinute = (name: string, limit: number): RateRule => ({ name, limit, windowMs: 60_000 });

const REQUESTS = { session: perMinute('requests', 1_200), address: perMinute('requests', 2_400) };
const CHANGES = { session: perMinute('changes', 120), address: perMinute('changes', 240) };
/** Sign-ins, and whatever else changes something without a session. */
const ENTRIES = perMinute('entries', 30);

/** Counts a request of an address, before it is authenticated. Null if it is within the limits. */
export function limitAddress(given: ConsoleRateLimits | null, address: string, { isRead, isPublic }: Kind) {
  const rules = [REQUESTS.address, ...(isRead ? [] : [isPublic ? ENTRIES : CHANGES.address])];
  return limited(given, `address:${address}`, rules);
}

/** Counts a request of a session. */
export function limitSession(given: ConsoleRateLimits | null, { actor, scope }: Visitor, { isRead }: Kind) {
  const session = actor.accessId ?? `${scope?.partnerId ?? ''}/${actor.id}`;
  return limited(given, `session:${session}`, [REQUESTS.session, ...(isRead ? [] : [CHANGES.session])]);
}

interface Kind {
  readonly isRead: boolean;
  readonly isPublic: boolean;
}

async function limited(
  given: ConsoleRateLimits | null,
  key: string,
  rules: readonly RateRule[],
): Promise<Refusal | null> {
  if (given === null) return null;
  const { limits, factor = 1 } = given;
  const scaled = rules.map((rule) => ({ ...rule, limit: Math.max(1, Math.floor(rule.limit * factor)) }));
  const blocking = (await inTime('rateLimits.hit', () => limits.hit(`console:${key}`, scaled))).filter(isBlocked);
  if (blocking.length === 0) return null;
  const wait = String(Math.max(...blocking.map(resetSeconds)));
  return {
    ...refusal('rate_limit_exceeded', `Too many requests. Try again in ${wait} s.`),
    headers: { 'retry-after': wait, 'retry-after-short': wait },
  };
}
