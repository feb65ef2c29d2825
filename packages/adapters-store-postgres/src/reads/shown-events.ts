import { setTimeout as sleep } from 'node:timers/promises';
import type { Scope } from '@gateramp/core';
import type { GateEvent, Instant, PageRequest } from '@gateramp/core/domain';
import { isWriteRefused, StoreOutage } from '../errors.js';
import type { Reading } from './reading.js';

/** How long a list waits for commits that may still put events before those it has found. Then it shows what was settled before. */
const WAIT_MAX_MS = 2_000;
const PAUSE_MS = 5;
const PAUSE_MAX_MS = 100;

/** The time up to which a list may show events; every time if nothing has to be waited for. */
type ShownEvents = (scope: Scope, page: readonly GateEvent[], start: PageRequest['start']) => Promise<Instant>;

/** The rules of `events.sql`. `onHeldBack`: a list shows less, because of a long commit or a database that takes no writes. */
export function shownEvents(reading: Reading, schema: string, onHeldBack: (scope: Scope) => void): ShownEvents {
  // What this process knows to be settled: a reader who finds nothing new asks nothing more.
  const settled = new Map<string, Instant>();
  const show = `select "${schema}".show_events($1, $2, $3) as settled`;
  const shown = `select settled from "${schema}".shown_events where partner_id = $1 and mode = $2`;
  const running = `select "${schema}".running_commits($1, $2) as commits`;
  const settle = `update "${schema}".shown_events set settled = $3 where partner_id = $1 and mode = $2 and settled < $3`;

  async function commitsOf(scope: readonly string[]): Promise<readonly string[]> {
    const [row] = await reading.find<{ commits: readonly string[] }>(running, scope);
    return row?.commits ?? [];
  }

  /** Whether every commit has ended that may not have seen what the list wants to show. */
  async function haveEnded(scope: readonly string[]): Promise<boolean> {
    const until = performance.now() + WAIT_MAX_MS;
    let waitedFor = await commitsOf(scope);
    for (let pause = PAUSE_MS; waitedFor.length > 0; pause = Math.min(pause * 2, PAUSE_MAX_MS)) {
      if (performance.now() + pause > until) return false;
      await sleep(pause);
      const still = new Set(await commitsOf(scope));
      waitedFor = waitedFor.filter((commit) => still.has(commit));
    }
    return true;
  }

  return async ({ partnerId, mode }, page, start) => {
    if (start.kind === 'after' || page.length === 0 || !reading.waitsForCommits) return Infinity;
    const scope = [partnerId, mode];
    const key = scope.join('/');
    const newest = Math.max(...page.map(({ createdAt }) => createdAt));
    const known = settled.get(key) ?? -1;
    if (newest <= known) return Infinity;
    let stored = known;
    const found = async (text: string, values: readonly unknown[]): Promise<void> => {
      const [row] = await reading.find<{ settled: string }>(text, values);
      stored = Math.max(known, Number(row?.settled ?? -1));
      settled.set(key, stored);
    };
    try {
      await found(show, [...scope, newest]);
      if (newest <= stored) return newest;
      if (await haveEnded(scope)) {
        await reading.find(settle, [...scope, newest]);
        settled.set(key, newest);
        return newest;
      }
    } catch (error) {
      if (!isWriteRefused(error)) throw error;
      await found(shown, scope);
      if (newest <= stored) return newest;
    }
    onHeldBack({ partnerId, mode });
    // An empty list would say that there are no events.
    if (stored < 0) throw new StoreOutage(new Error('events are listed once running commits have ended'));
    return stored;
  };
}
