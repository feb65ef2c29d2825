import { pause } from '../lib/ask.mjs';
import { spread } from './schedule.mjs';

/** kill -9 of API processes, workers and Postgres, `kills` times each, in mixed order. */
export function killEvents(luck, { kills, durationMs }, { api, workers, postgres, count }) {
  const kinds = ['api', 'worker', 'postgres'].flatMap((kind) => Array.from({ length: kills }, () => kind));
  const mixed = kinds.map((kind) => ({ kind, order: luck.next() })).sort((a, b) => a.order - b.order);
  const instants = spread(luck, mixed.length, durationMs);
  return mixed.map(({ kind }, index) => {
    const atMs = instants[index];
    if (kind === 'postgres')
      return { atMs, what: 'kill postgres', run: killPostgres(postgres, luck.between(50, 700), count) };
    const victim = luck.pick(kind === 'api' ? api : workers);
    return { atMs, what: `kill ${victim.name}`, run: () => victim.kill().then(() => count(kind)) };
  });
}

export function killPostgres(postgres, downMs, count) {
  return async () => {
    await postgres.kill();
    count('postgres');
    await pause(downMs);
    await postgres.start();
  };
}
