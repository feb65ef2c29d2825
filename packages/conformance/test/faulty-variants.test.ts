import { AssertionError } from 'node:assert';
import { kycVaultLaws, rateLimitsLaws, schedulerLaws, storeLaws, type Law } from '@gateramp/conformance';
import { describe, expect, it } from 'vitest';
import { rateLimitsFaults, schedulerFaults } from './faults/clock-faults.js';
import { durableFaults, durableSubject } from './faults/durable-faults.js';
import { domainLaws } from '../../core/test/domain/laws/domain-laws.js';
import { gateDomain } from '../../core/test/domain/laws/domain-subject.js';
import { domainFaults } from '../../core/test/domain/laws/domain-faults.js';
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
  'keeps every promise at once: nothing acknowledged is lost, nothing refused leaves a trace, no two hold the same work';

const OUTAGE = 'throws an error with `outage: true`, whatever it is asked, while its database cannot be reached';

/** A law that cannot fail is worthless: each fault, and the laws that must detect it. */
const STORE_CASES: readonly (readonly [fault: keyof typeof storeFaults, ...titles: string[]])[] = [
  [
    'events kept on a stale commit',
    'refuses the whole change when a version has moved on and keeps none of its events',
    MODEL,
  ],
  ['check, await, write', 'commits exactly one of many changes decided on the same version'],
  ['an attempt counted at claim', 'counts an attempt when it is recorded, not when it is claimed', MODEL],
  [
    'key scope without the partner',
    'takes a key once per scope: the same key of another partner, mode or session is free',
    MODEL,
  ],
  [
    'events listed by their ids',
    'visits every event exactly once in both directions, however many were made at one instant',
  ],
  [
    'a cursor of events that every partner can use',
    'lists nothing after or before an event that is not there, or is not of the partner and mode',
  ],
  ['a body that went through a parser', 'returns metadata and event bodies as the very text that was stored'],
  ['unstable ordering', 'answers the same page in the same order however often it is asked'],
  ['unstable ordering', 'visits every session exactly once, newest first, in both directions and at any page size'],
  ['two live leases', 'leases every due delivery to exactly one of many claimers', MODEL],
  ['a hole in the sequence', "lists a session's events in the order of their sequence", MODEL],
  ['a task run twice', 'runs a task once: neither a leased nor a finished one is handed out', MODEL],
  [
    'a key that outlives its expiry by a millisecond',
    'keeps a key at the very instant it expires and frees it a millisecond later',
  ],
  [
    'a delivery for an endpoint that is not set',
    'keeps a delivery that needs an endpoint only if its URL is set when the change commits',
    MODEL,
  ],
  [
    'a replay that does not look at what it replays',
    'refuses as stale to replay what is not dead-lettered, or was replayed since it was read',
    'replays all of a change or none: one that is stale leaves the others dead-lettered, and no key taken',
  ],
  [
    'a replay that is checked, then written',
    'replays once however many race, and leases what they made due to one claimer',
  ],
  ['a replay that forgets the queue', 'gives a replay its whole budget and loses no attempt of any'],
  [
    'a failure that nothing counts down',
    'counts failures since the last success, and keeps when each was and the last error',
    'keeps each partner and mode apart, and counts neither consumers nor attempts that were lost',
  ],
  [
    'an endpoint that is written over',
    'refuses as stale an endpoint that was read before another wrote it, and takes no key for it',
  ],
  ['a counter that is read, then written', 'loses no increment however many commit at once'],
  [
    'counters read one after another',
    'reads several counters as every commit left them together, in the order they are named',
  ],
  [
    "a limit applied before an endpoint's share",
    'reaches past an endpoint with a long backlog: others wait for none of it',
  ],
  [
    'the stored status taken for the effective one',
    'lists a session as open at the very instant it expires and as expired one millisecond later',
  ],
  ["a foreign mode's clock", 'measures each mode by its own clock'],
  ['a use that is written over a later one', 'keeps the latest use of a key, in whatever order uses are noted'],
  ['a use that is written over a later one', 'changes nothing at the use of a key that it does not have'],
  [
    'a commit that does not look at the consumers',
    'refuses a change whole that was decided on consumers of before a registration or a removal',
  ],
  [
    'a commit that does not look at the consumers',
    'refuses no neighbour of a change that was decided on old consumers',
  ],
  [
    'consumers that are read, then written',
    'loses none of the consumers that many processes register at once, and gives every change a version of its own',
  ],
  ['one lane for all consumers', 'hands out what is for a consumer to those that claim for it, and to no one else'],
  [
    'documents that are written over',
    'refuses the whole change when a document has moved on, is there already, or is not there',
  ],
  ['documents of one noun only', 'takes the same id in another noun, partner or mode for another document'],
  ['a group that is not looked at', 'lists a noun or one of its groups, newest first, each once in both directions'],
  ['a document reaped by its first date', 'reaps a document after the instant it is kept until, and no other'],
  ['a last use that goes with the old row', 'keeps the last use of a key that is saved again, as when it is revoked'],
];

const DURABLE_CASES: readonly (readonly [fault: keyof typeof durableFaults, ...titles: string[]])[] = [
  [
    'a write that its connection keeps to itself',
    'keeps everything it has acknowledged when the connection that wrote it is closed',
    'shows one connection what the other has committed, from the moment that is acknowledged',
    'takes a key once, whichever connections ask for it at once',
    'loses no increment and grants no reservation twice, whichever connections move a counter',
    'lets one of two connections set a setting, and answers both with the value in force',
    'fences one connection off from what the other has taken over',
  ],
  [
    'a version that each connection checks for itself',
    'commits exactly one of two decisions on one version, whichever connections they come by',
  ],
  [
    'a lease that only its own connection knows',
    'leases what is due to one connection, and to an endpoint no more than its share by both',
  ],
  [
    'a session that is remembered as it was read first',
    'keeps everything it has acknowledged when the connection that wrote it is closed',
  ],
  [
    'a durable store that cannot be opened twice',
    'keeps everything it has acknowledged when the connection that wrote it is closed',
    OUTAGE,
  ],
  ['an outage that looks like a bug', OUTAGE],
  ['an outage that is passed over in silence', OUTAGE],
];

const DOMAIN_CASES: readonly (readonly [fault: keyof typeof domainFaults, title: string])[] = [
  ['off by one at five', 'retries after exactly 1 m, 5 m, 30 m and 2 h and is dead-lettered by the fifth failure'],
  ['one attempt too many', 'retries after exactly 1 m, 5 m, 30 m and 2 h and is dead-lettered by the fifth failure'],
  ['expiry without a status guard', 'expires open sessions only: one that is closed never expires on top of it'],
  [
    'expiry without a status guard',
    'announces exactly one end of a session that has ended and none of one that has not',
  ],
  ['expiry at the very instant', 'is still open at the very instant it expires and expired one millisecond later'],
  ['key scope without the partner', 'gives two partners, modes or sessions never the same idempotency scope'],
  ['`t` reused across attempts', 'signs every attempt separately: `t` is the wall time of that attempt'],
  ['a re-serialised body', 'sends the very bytes that were frozen, at every attempt'],
  [
    'a hole in `sequence`',
    'numbers the events of a session from 1 without a hole, through any sequence of transitions',
  ],
  ['a second completion', 'announces completion at most once, whatever updates arrive in whatever order'],
  [
    'a success that came late and was dropped',
    'never loses a success: its transaction says that money settled, and an open session completes by it',
  ],
  ['a signature that is taken whatever it signs', 'fails when any byte of the body is changed'],
  ['a tolerance that is open at the end', 'accepts a signature up to exactly 300 seconds old or ahead, and no more'],
  ['a wallet that may be swapped', 'refuses every attempt that differs in one bound term'],
];

const SCHEDULER_CASES: readonly (readonly [fault: keyof typeof schedulerFaults, title: string])[] = [
  ['calls that overlap', 'never overlaps its calls, and runs once afterwards what came due meanwhile'],
  ['hints alone, and no sweep', 'calls at least every sweep when no hint comes at all'],
  ['a sweep alone, and no hint', "calls soon after a hint's delay"],
  ['an end at the first failure', 'goes on after a call that failed'],
];

const RATE_CASES: readonly (readonly [fault: keyof typeof rateLimitsFaults, title: string])[] = [
  ['a peek that counts', 'counts nothing when it only peeks'],
  ['blocked hits left out', 'counts a hit that is blocked, also in the rules that do not block it'],
  ['keys that are tidied', 'lets windows of two keys never meet'],
];

const VAULT_CASES: readonly (readonly [fault: keyof typeof vaultFaults, title: string])[] = [
  ['a sweep of both modes', 'sweeps one mode by its own clock, and leaves the other'],
  [
    'a sweep that comes late',
    'sweeps away a package at the very instant it is to be forgotten by, and not a millisecond earlier',
  ],
  [
    'a package that was only marked as forgotten',
    'keeps one package a session, however often it is stored, and forgets it without a trace',
  ],
];

describe('the published laws catch what they forbid', () => {
  for (const [fault, ...titles] of STORE_CASES) {
    for (const title of titles) {
      it(`a store with ${fault} breaks: ${title}`, () =>
        catches(storeLaws, title, storeSubject(), storeSubject(storeFaults[fault])));
    }
  }
  for (const [fault, ...titles] of DURABLE_CASES) {
    for (const title of titles) {
      it(`a durable store with ${fault} breaks: ${title}`, () =>
        catches(storeLaws, title, durableSubject(), durableFaults[fault]));
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
  for (const [fault, title] of RATE_CASES) {
    it(`rate limits with ${fault} break: ${title}`, () =>
      catches(rateLimitsLaws, title, rateLimitsSubject(), rateLimitsSubject(rateLimitsFaults[fault])));
  }
});

describe('the published laws', () => {
  it('have titles of their own within a topic', () => {
    const names = [...storeLaws, ...schedulerLaws, ...kycVaultLaws, ...rateLimitsLaws, ...domainLaws].map(
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
