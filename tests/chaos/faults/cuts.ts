import { killPostgres } from './kills.js';
import type { Chance } from '../lib/chance.js';
import type { Form } from '../forms.js';
import type { World } from '../world.js';
import { repeated, spread, type FaultEvent } from './schedule.js';

/** Cuts connections to Postgres at random and right after a commit, and kills and restarts Postgres. */
export function cutEvents(
  luck: Chance,
  { everyMs, commitEveryMs, postgresRestarts, durationMs }: Form['cuts'],
  { proxy, postgres, count }: World,
): FaultEvent[] {
  return [
    ...repeated(luck, everyMs, durationMs).map((atMs) => ({
      atMs,
      what: 'cut a connection',
      run: () => proxy.cutOne(luck.pick),
    })),
    ...repeated(luck, commitEveryMs, durationMs).map((atMs) => ({
      atMs,
      what: 'cut a commit that was sent',
      run: () => proxy.cutNextCommit(),
    })),
    ...spread(luck, postgresRestarts, durationMs).map((atMs) => ({
      atMs,
      what: 'restart postgres',
      run: killPostgres(postgres, luck.between(300, 1_500), count),
    })),
  ];
}
