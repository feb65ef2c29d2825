import { AssertionError } from 'node:assert';
import {
  kycVaultLaws,
  legsStoreLaws,
  rateLimitsLaws,
  sandboxStoreLaws,
  schedulerLaws,
  storeLaws,
  type Law,
} from '@gateramp/conformance';
import { describe, expect, it } from 'vitest';
import { rateLimitsFaults, schedulerFaults } from './faults/clock-faults.js';
import { durableFaults, durableSubject } from './faults/durable-faults.js';
import { domainLaws } from '../../core/test/domain/laws/domain-laws.js';
import { gateDomain } from '../../core/test/domain/laws/domain-subject.js';
import { domainFaults } from '../../core/test/domain/laws/domain-faults.js';
import { legsStoreFaults, legsStoreSubject } from './faults/legs-store-faults.js';
import { storeFaults } from './faults/store-faults.js';
import { vaultFaults } from './faults/vault-faults.js';
import {
  kycVaultSubject,
  rateLimitsSubject,
  schedulerSubject,
  storeSubject,
} from '../../adapters-store-memory/test/memory-subjects.js';

/** The law of random histories, which detects most faults of a store without being written for them. */
const MODEL =
  'holds every law in random histories: nothing acknowledged is lost, nothing refused leaves a trace, no work is leased twice';

const OUTAGE = 'throws an error with `outage: true` from every method while its database cannot be reached';

/** A law that cannot fail is worthless: each fault, and the laws that must detect it. */
const STORE_CASES: readonly (readonly [fault: keyof typeof storeFaults, ...titles: string[]])[] = [
  [
    'events kept on a stale commit',
    'refuses the whole change on a version conflict, and stores none of its events',
    MODEL,
  ],
  [
    'a change committed before its audit entries',
    'refuses a whole change whose entries continue another end of the trail',
  ],
  ['audit entries kept of a refused change', 'adds no entry for a change that is refused for another reason'],
  ['a key saved before its audit entries', 'saves a partner, key or endpoint together with its entries, or not at all'],
  [
    'audit entries listed regardless of their actor',
    'lists the entries of an action or noun, of an actor or their access, of a mode or both, and of a time',
  ],
  [
    'audit entries of both modes hidden in each',
    'lists the entries of an action or noun, of an actor or their access, of a mode or both, and of a time',
  ],
  [
    'audit entries listed with the next instant',
    'lists the entries of an action or noun, of an actor or their access, of a mode or both, and of a time',
  ],
  [
    'an audit page that begins with the last entry of the page before',
    'lists each entry once in either order, of all partners, of one, or of a request',
  ],
  ['check, await, write', 'commits exactly one of many changes decided on the same version'],
  ['an attempt counted at claim', 'counts an attempt when it is recorded, not when it is claimed', MODEL],
  [
    'key scope without the partner',
    'accepts a key once per scope: the same key of another partner, mode or session is free',
    MODEL,
  ],
  [
    'events listed by the times at which they were decided',
    'misses no event after one that was listed, however late it was committed',
  ],
  ['events listed by their ids', 'visits every event exactly once in both directions, even with many of one instant'],
  [
    'a cursor of events that every partner can use',
    'lists nothing after or before an event that is absent or belongs to another partner or mode',
  ],
  ['a body that was parsed and serialized again', 'returns metadata and event bodies as the exact stored text'],
  ['unstable ordering', 'returns the same page in the same order every time'],
  ['unstable ordering', 'visits every session exactly once, newest first, in both directions and at any page size'],
  ['two live leases', 'leases every due delivery to exactly one of many claimers', MODEL],
  ['a hole in the sequence', "lists a session's events in the order of their sequence", MODEL],
  ['a task run twice', 'claims a task once: neither a leased nor a finished one is returned', MODEL],
  [
    'a key that outlives its expiry by a millisecond',
    'keeps a key at the instant it expires and frees it a millisecond later',
  ],
  [
    'a delivery for an endpoint that is not set',
    'keeps a delivery that needs an endpoint only if its URL is set when the change commits',
    MODEL,
  ],
  [
    'a replay of a delivery that it does not check',
    'refuses to replay a delivery that is not dead-lettered or was already replayed as stale',
    'replays all deliveries of a change or none: a stale one leaves the others dead-lettered and the key unused',
  ],
  ['a replay that is checked, then written', 'replays once under concurrency, and leases the delivery to one claimer'],
  ['a replay that is not queued', 'gives a replay its full attempt budget, and keeps all earlier attempts'],
  [
    'failures that a success does not reset',
    'counts failures since the last success, and stores their times and the last error',
    'separates partners and modes, and counts neither consumers nor lost attempts',
  ],
  [
    'an endpoint that is overwritten',
    'refuses an endpoint that was changed since it was read as stale, and stores no key',
  ],
  ['a counter that is read, then written', 'loses no increment under concurrent commits'],
  ['counters read one after another', 'reads several counters at one point in time, in the requested order'],
  [
    "a limit applied before an endpoint's share",
    'claims past an endpoint with a long backlog, so that others do not wait for it',
  ],
  [
    'the stored status taken for the effective one',
    'lists a session as open at the instant it expires and as expired one millisecond later',
  ],
  ["a foreign mode's clock", 'measures each mode by its own clock'],
  ['a use that overwrites a later one', 'keeps the latest use of a key for any order of recording'],
  ['a use that overwrites a later one', 'ignores the use of an unknown key'],
  ['a commit that ignores the consumers', 'refuses a whole change that was decided on an outdated registry'],
  ['a commit that ignores the consumers', 'refuses only the outdated change among those of one batch'],
  [
    'consumers that are read, then written',
    'loses no registration made concurrently by many processes, and gives every change its own version',
  ],
  ['one lane for all consumers', 'returns deliveries of a consumer only to claims for that consumer'],
  [
    'documents that are overwritten',
    'refuses the whole change when a document conflicts, exists already, or is absent',
  ],
  ['documents of one noun only', 'treats the same id in another noun, partner or mode as another document'],
  ['an ignored group', 'lists a noun or one of its groups, newest first, each document once in both directions'],
  ['a document reaped by its first date', 'reaps a document only after its retention has ended'],
  [
    'a last use lost with the replaced row',
    'keeps the last use of a key that is saved again, for example to revoke it',
  ],
];

const DURABLE_CASES: readonly (readonly [fault: keyof typeof durableFaults, ...titles: string[]])[] = [
  [
    'a write that is visible to its own connection only',
    'keeps all acknowledged writes when the connection that made them is closed',
    'shows a commit to other connections as soon as it is acknowledged',
    'accepts a key once when several connections use it concurrently',
    'loses no increment and grants no reservation twice across connections',
    'lets one of two connections set a setting, and returns the current value to both',
    'fences a connection whose lease another one has taken over',
  ],
  ['a version checked per connection', 'commits exactly one of two decisions on one version across connections'],
  [
    'a lease that is visible to its own connection only',
    'leases due work to one connection, and limits an endpoint to its share across both',
  ],
  [
    'a session cached from its first read',
    'keeps all acknowledged writes when the connection that made them is closed',
  ],
  [
    'a durable store that cannot be opened twice',
    'keeps all acknowledged writes when the connection that made them is closed',
    OUTAGE,
  ],
  ['an outage reported as an ordinary error', OUTAGE],
  ['an outage that is ignored', OUTAGE],
];

const DOMAIN_CASES: readonly (readonly [fault: keyof typeof domainFaults, title: string])[] = [
  ['off by one at five', 'retries after exactly 1 m, 5 m, 30 m and 2 h and is dead-lettered by the fifth failure'],
  ['one attempt too many', 'retries after exactly 1 m, 5 m, 30 m and 2 h and is dead-lettered by the fifth failure'],
  ['expiry without a status guard', 'expires open sessions only: one that is closed never expires on top of it'],
  [
    'expiry without a status guard',
    'announces exactly one end of a session that has ended and none of one that has not',
  ],
  ['expiry at the exact instant', 'is still open at the very instant it expires and expired one millisecond later'],
  ['key scope without the partner', 'gives two partners, modes or sessions never the same idempotency scope'],
  ['`t` reused across attempts', 'signs every attempt separately: `t` is the wall time of that attempt'],
  ['a re-serialised body', 'sends the very bytes that were frozen, at every attempt'],
  [
    'a hole in `sequence`',
    'numbers the events of a session from 1 without a hole, through any sequence of transitions',
  ],
  ['a second completion', 'announces completion at most once, whatever updates arrive in whatever order'],
  [
    'a late success that was dropped',
    'never loses a success: its transaction says that money settled, and an open session completes by it',
  ],
  ['a signature that is accepted for any body', 'fails when any byte of the body is changed'],
  ['a tolerance without an upper bound', 'accepts a signature up to exactly 300 seconds old or ahead, and no more'],
  ['a wallet that may be swapped', 'refuses every attempt that differs in one bound term'],
];

const SCHEDULER_CASES: readonly (readonly [fault: keyof typeof schedulerFaults, title: string])[] = [
  ['calls that overlap', 'never overlaps calls, and makes one more call for work that became due during one'],
  ['hints without a sweep', 'calls at least once per sweep interval without any hint'],
  ['a sweep without hints', "calls soon after a hint's delay"],
  ['stopping at the first failure', 'continues after a failed call'],
];

const RATE_CASES: readonly (readonly [fault: keyof typeof rateLimitsFaults, title: string])[] = [
  ['a peek that counts', 'counts nothing when peeking'],
  ['blocked hits left out', 'counts a blocked hit in every rule, including those that did not block it'],
  ['keys that are tidied', 'keeps the windows of different keys separate'],
];

const VAULT_CASES: readonly (readonly [fault: keyof typeof vaultFaults, title: string])[] = [
  ['a sweep of both modes', 'sweeps one mode by its own clock and leaves the other untouched'],
  ['a sweep that comes late', 'sweeps a package at the instant its retention ends, not a millisecond earlier'],
  [
    'a package that was only marked as deleted',
    'stores one package per session, however often it is saved, and deletes it without a trace',
  ],
];

const LEGS_CASES: readonly (readonly [fault: keyof typeof legsStoreFaults, title: string])[] = [
  ['audit entries that are never written', 'adds the audit entries of a change in the same commit'],
  [
    'a change committed before its audit entries',
    'refuses a whole change whose audit entries continue another end of the trail',
  ],
  ['audit entries committed before their change', 'adds no audit entry for a change that is stale'],
  [
    'a change that is kept although another took its place in the trail',
    'gives each place in the audit trail to one of many racing changes',
  ],
  [
    'a claim that does not know the time of sandboxes',
    'claims and leases the documents of a sandbox with its own time by that time, and all others by the given time',
  ],
  [
    'a lease of a sandbox by the time of the mode',
    'claims and leases the documents of a sandbox with its own time by that time, and all others by the given time',
  ],
  [
    'a claim that takes the work of a paused sandbox by the time of the mode',
    'claims nothing of a sandbox whose time is before all due times',
  ],
  [
    'a claim with the limit for each sandbox',
    'claims the documents of all sandboxes up to one limit, the longest due by its own time first',
  ],
  [
    'due documents of every partner',
    'lists the documents with a due time, the first due first, of all partners or of one',
  ],
];

const STORE_LAWS = [...storeLaws, ...sandboxStoreLaws];

describe('the published laws catch violations', () => {
  for (const [fault, ...titles] of STORE_CASES) {
    for (const title of titles) {
      it(`a store with ${fault} breaks: ${title}`, () =>
        catches(STORE_LAWS, title, storeSubject(), storeSubject(storeFaults[fault])));
    }
  }
  for (const [fault, ...titles] of DURABLE_CASES) {
    for (const title of titles) {
      it(`a durable store with ${fault} breaks: ${title}`, () =>
        catches(STORE_LAWS, title, durableSubject(), durableFaults[fault]));
    }
  }
  for (const [fault, title] of DOMAIN_CASES) {
    it(`a domain with ${fault} breaks: ${title}`, () => catches(domainLaws, title, gateDomain, domainFaults[fault]()));
  }
  for (const [fault, title] of SCHEDULER_CASES) {
    it(`a scheduler with ${fault} breaks: ${title}`, () =>
      catches(schedulerLaws, title, schedulerSubject(), schedulerSubject(schedulerFaults[fault])));
  }
  for (const [fault, title] of VAULT_CASES) {
    it(`a vault with ${fault} breaks: ${title}`, () =>
      catches(kycVaultLaws, title, kycVaultSubject(), kycVaultSubject(vaultFaults[fault])));
  }
  for (const [fault, title] of LEGS_CASES) {
    it(`a store of legs with ${fault} breaks: ${title}`, () =>
      catches(legsStoreLaws, title, legsStoreSubject(), legsStoreSubject(legsStoreFaults[fault])));
  }
  for (const [fault, title] of RATE_CASES) {
    it(`rate limits with ${fault} break: ${title}`, () =>
      catches(rateLimitsLaws, title, rateLimitsSubject(), rateLimitsSubject(rateLimitsFaults[fault])));
  }
});

describe('the published laws', () => {
  it('have titles of their own within a topic', () => {
    const names = [...STORE_LAWS, ...schedulerLaws, ...kycVaultLaws, ...rateLimitsLaws, ...domainLaws].map(
      ({ topic, title }) => `${topic}: ${title}`,
    );
    expect(new Set(names).size).toBe(names.length);
  });
});

/** The law of that title holds for the sound subject, and fails for the faulty one by an assertion of its own. */
async function catches<Subject>(
  laws: readonly Law<Subject>[],
  title: string,
  sound: Subject,
  faulty: Subject,
): Promise<void> {
  const titled = laws.filter((law) => law.title === title);
  expect(titled, `laws titled "${title}"`).not.toHaveLength(0);
  for (const law of titled) await law.run(sound);
  const results = await Promise.allSettled(titled.map((law) => law.run(faulty)));
  const failures: readonly unknown[] = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason] : [],
  );
  expect(failures.length, 'laws that failed').toBeGreaterThan(0);
  for (const failure of failures) expect(isAssertion(failure), String(failure)).toBe(true);
}

/** fast-check reports the assertion that failed as the cause. */
function isAssertion(failure: unknown): boolean {
  return failure instanceof AssertionError || (failure instanceof Error && failure.cause instanceof AssertionError);
}
