import { killPostgres } from './kills.mjs';
import { repeated, spread } from './schedule.mjs';

/** Connections to Postgres cut at random and right after a commit was done, and Postgres itself killed and started again. */
export function cutEvents(luck, { everyMs, commitEveryMs, postgresRestarts, durationMs }, { proxy, postgres, count }) {
  return [
    ...repeated(luck, everyMs, durationMs).map((atMs) => ({
      atMs,
      what: 'cut a connection',
      run: async () => proxy.cutOne(luck.pick),
    })),
    ...repeated(luck, commitEveryMs, durationMs).map((atMs) => ({
      atMs,
      what: 'cut a commit that was sent',
      run: async () => proxy.cutNextCommit(),
    })),
    ...spread(luck, postgresRestarts, durationMs).map((atMs) => ({
      atMs,
      what: 'restart postgres',
      run: killPostgres(postgres, luck.between(300, 1_500), count),
    })),
  ];
}
