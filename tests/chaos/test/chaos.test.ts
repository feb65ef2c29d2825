import { beforeAll, describe, expect, it } from 'vitest';
import { audit, judge, readFacts, type Finished } from '../audit/audit.js';
import type { Facts } from '../audit/facts.js';
import type { Row } from '../audit/law.js';
import { LAWS } from '../audit/laws.js';
import { chaos } from '../chaos.js';
import { killEvents } from '../faults/kills.js';
import { summaryOf } from '../faults/schedule.js';
import { FULL, SHORT } from '../forms.js';
import { chance } from '../lib/chance.js';
import { withClient } from '../world.js';
import { RUN_MAX_MS } from './planted.js';
import { plantedFaults } from './planted-faults.js';

const missed = ({ rows }: { readonly rows: readonly Row[] }) => rows.filter(({ isKept }) => !isKept);

/**
 * The short form, once, on the machine's own Postgres (`hostile.test.ts` uses the one from npm). Its records are then checked
 * again with planted faults.
 */
let rows: readonly Row[] = [];
let facts: Facts;
let missedInDatabase: readonly (readonly string[])[] = [];

beforeAll(async () => {
  const inspect = async (finished: Finished): Promise<void> => {
    facts = await readFacts(finished);
    const found: string[][] = [];
    for (const sql of FAULTS_IN_THE_DATABASE) {
      await withClient(finished.world, (client) => client.query(sql));
      found.push(missed(await audit(finished)).map(({ law }) => law));
    }
    missedInDatabase = found;
  };
  ({ rows } = await chaos({ ...SHORT, postgres: 'stock' }, { inspect }));
}, RUN_MAX_MS);

const FAULTS_IN_THE_DATABASE = [
  'delete from gateramp.deliveries where id = (select min(id) from gateramp.deliveries)',
  `update gateramp.events set body = replace(body, '25.00', '25.01') where id = (select event_id from gateramp.deliveries where status = 'delivered' order by id limit 1)`,
  `delete from gateramp.sessions where id = (select min(id) from gateramp.sessions where user_reference like 'shopper%')`,
];

describe('the reference server under kill -9, cut connections and a broken Redis', () => {
  it('keeps every law', () => {
    expect(rows).toHaveLength(LAWS.length);
    expect(missed({ rows })).toEqual([]);
  });
});

describe('the schedule of faults', () => {
  const nothing = () => Promise.resolve();
  const named = (name: string) => ({ name, kill: nothing });
  const victims = {
    api: [named('api-1'), named('api-2')],
    workers: [named('worker-1')],
    postgres: { kill: nothing, start: nothing },
    count: () => undefined,
  };
  const schedule = (seed: number): string => summaryOf(killEvents(chance(seed), FULL.crash, victims).slice(0, 30));

  it('is the same for the same seed, and another for another', () => {
    expect(schedule(7)).toBe(schedule(7));
    expect(schedule(7)).not.toBe(schedule(8));
  });
});

describe('the auditor', () => {
  it.each(plantedFaults.map(({ law, plant }, index) => ({ law, plant, index })))(
    'misses "$law" ($index)',
    ({ law, plant }) => {
      const copy = structuredClone(facts);
      plant(copy);
      expect(missed(judge(copy)).map((row) => row.law)).toContain(law);
    },
  );

  it('has a planted fault for every law', () => {
    expect(new Set(plantedFaults.map(({ law }) => law))).toEqual(new Set(LAWS.map(({ law }) => law)));
  });

  it('sees a delivery that was deleted, a body that was altered and a session that was deleted, in the database itself', () => {
    const [deleted, altered, lost] = missedInDatabase;
    expect(deleted).toEqual(['events lost on their way']);
    expect(altered).toContain('events that changed a byte between attempts');
    expect(lost).toContain('acknowledged sessions lost');
  });
});
