import { join } from 'node:path';

import { readNdjson } from '../lib/ndjson.mjs';
import { withClient } from '../world.mjs';
import { countsOf } from './counts.mjs';
import { readDatabase } from './database-facts.mjs';
import { LAWS } from './laws.mjs';
import { rowOf } from './row-of.mjs';

/**
 * Joins what clients, receivers and the provider wrote down with what the database holds. It shares no code with the engine: its SQL, its
 * hashes and its idea of what must follow from what are its own.
 */
export async function audit(finished) {
  return judge(await readFacts(finished));
}

/** The same facts give the same rows: a fault planted in a copy of them must show. */
export function judge(facts) {
  const rows = LAWS.map(({ law, check }) => rowOf(law, check(facts)));
  return { rows, counts: countsOf(facts) };
}

/** Everything that was written down, from whoever wrote it. */
export async function readFacts({ world, form, run }) {
  const logs = (name, amount) =>
    Array.from({ length: amount }, (_, index) => readNdjson(join(world.folder, `${name}-${index + 1}.ndjson`))).flat();
  const shopper = logs('shopper', form.shoppers);
  const ofKind = (kind) => shopper.filter((entry) => entry.kind === kind);
  return {
    form,
    run,
    exits: world.exits,
    faults: world.counts,
    cuts: world.proxy.counts,
    acks: ofKind('ack'),
    repeats: ofKind('repeat'),
    bought: ofKind('bought'),
    unfinished: ofKind('unfinished'),
    refused: ofKind('refused'),
    unanswered: ofKind('unanswered'),
    wrong: [...ofKind('wrong'), ...ofKind('gave_up')],
    races: logs('racer', form.race.processes),
    received: readNdjson(join(world.folder, 'receiver.ndjson')),
    database: await withClient(world, readDatabase),
  };
}

/** Deliveries and tasks that have been free to take for longer than `forMs`: a lease that lives makes its row free only when it ends. */
export async function overdueNow(client, forMs) {
  const { rows } = await client.query(
    `with clock as (select extract(epoch from clock_timestamp()) * 1000 as now)
      select 'delivery' as what, id, round(clock.now - free_at)::int as for_ms
      from (select id, coalesce(lease_until, due_at) as free_at from gateramp.delivery_queue) queue, clock where free_at < clock.now - $1
      union all
      select row ->> 'kind', id, round(clock.now - free_at)::int from gateramp.tasks, clock where free_at < clock.now - $1`,
    [forMs],
  );
  return rows;
}
