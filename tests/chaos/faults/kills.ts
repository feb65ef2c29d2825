import { pause } from '../lib/ask.js';
import type { TestPostgres } from '../../services/postgres.js';
import type { Chance } from '../lib/chance.js';
import type { Form } from '../forms.js';
import type { Supervised } from '../lib/supervised.js';
import type { World } from '../world.js';
import { spread, type FaultEvent } from './schedule.js';

/** The processes of a world that are killed; only names while the faults are planned. */
export interface Victims {
  readonly api: readonly Pick<Supervised, 'name' | 'kill'>[];
  readonly workers: readonly Pick<Supervised, 'name' | 'kill'>[];
  readonly postgres: Pick<TestPostgres, 'kill' | 'start'>;
  readonly count: World['count'];
}

/** kill -9 of API processes, workers and Postgres, `kills` times each, in mixed order. */
export function killEvents(
  luck: Chance,
  { kills, durationMs }: Form['crash'],
  { api, workers, postgres, count }: Victims,
): FaultEvent[] {
  const kinds = (['api', 'worker', 'postgres'] as const).flatMap((kind) => Array.from({ length: kills }, () => kind));
  const mixed = kinds.map((kind) => ({ kind, order: luck.next() })).sort((a, b) => a.order - b.order);
  const instants = spread(luck, mixed.length, durationMs);
  return mixed.map(({ kind }, index) => {
    const atMs = instants[index] ?? durationMs;
    if (kind === 'postgres')
      return { atMs, what: 'kill postgres', run: killPostgres(postgres, luck.between(50, 700), count) };
    const victim = luck.pick(kind === 'api' ? api : workers);
    return { atMs, what: `kill ${victim.name}`, run: () => victim.kill().then(() => count(kind)) };
  });
}

export function killPostgres(
  postgres: Victims['postgres'],
  downMs: number,
  count: World['count'],
): () => Promise<void> {
  return async () => {
    await postgres.kill();
    count('postgres');
    await pause(downMs);
    await postgres.start();
  };
}
