import { join } from 'node:path';
import type { Client } from 'pg';

import { readNdjson } from '../lib/ndjson.js';
import type { OfficeEntry } from '../office/office-log.js';
import type { Form } from '../forms.js';
import { withClient, type World } from '../world.js';
import type {
  Ack,
  Bought,
  Facts,
  RaceAnswer,
  Received,
  Refused,
  Repeat,
  Run,
  Unanswered,
  Unfinished,
  Wrong,
} from './facts.js';
import type { Counts, Row } from './law.js';
import { countsOf } from './counts.js';
import { readDatabase } from './database-facts.js';
import { groupBy } from './index-by.js';
import { LAWS } from './laws.js';
import { rowOf } from './row-of.js';

/** A run whose processes have ended, with its logs and database. */
export interface Finished {
  readonly world: World;
  readonly form: Form;
  readonly run: Run;
}

export interface Judgement {
  readonly rows: readonly Row[];
  readonly counts: Counts;
}

/** Log entries of shoppers, by kind. */
type ShopperEntry =
  | ({ kind: 'ack' } & Ack)
  | ({ kind: 'repeat' } & Repeat)
  | ({ kind: 'bought' } & Bought)
  | ({ kind: 'unfinished' } & Unfinished)
  | ({ kind: 'refused' } & Refused)
  | ({ kind: 'unanswered' } & Unanswered)
  | ({ kind: 'wrong' } & Wrong)
  | ({ kind: 'gave_up' } & Wrong);

type Entry = ShopperEntry | OfficeEntry;

type EntryOf<Kind extends Entry['kind']> = Extract<Entry, { kind: Kind }>;

/**
 * Compares the logs of clients, receivers and the provider with the database. It shares no code with the engine: it has its own SQL,
 * hashes and rules.
 */
export async function audit(finished: Finished): Promise<Judgement> {
  return judge(await readFacts(finished));
}

/** The same facts give the same rows, so a fault planted in a copy is found. */
export function judge(facts: Facts): Judgement {
  const rows = LAWS.map(({ law, check }) => rowOf(law, check(facts)));
  return { rows, counts: countsOf(facts) };
}

/** The records of all processes. */
export async function readFacts({ world, form, run }: Finished): Promise<Facts> {
  return {
    form,
    run,
    exits: world.exits,
    faults: world.counts,
    cuts: world.proxy.counts,
    ...readNotes(world.folder, form),
    opening: Object.fromEntries(world.office.seed.pools.map(({ id, balances }) => [id, { ...balances }])),
    database: await withClient(world, readDatabase),
  };
}

type Notes = Pick<
  Facts,
  'acks' | 'repeats' | 'bought' | 'unfinished' | 'refused' | 'unanswered' | 'wrong' | 'races' | 'office' | 'received'
>;

/** The logs of clients and receivers. */
export function readNotes(folder: string, { shoppers, race }: Pick<Form, 'shoppers' | 'race'>): Notes {
  const logs = <Entry>(name: string, amount: number): Entry[] =>
    Array.from({ length: amount }, (_, index) => readNdjson<Entry>(join(folder, `${name}-${index + 1}.ndjson`))).flat();
  const entries = [...logs<ShopperEntry>('shopper', shoppers), ...logs<OfficeEntry>('office', 1)];
  const byKind = groupBy(entries, ({ kind }) => kind);
  // The group of a kind holds entries of that kind.
  const ofKind = <Kind extends Entry['kind']>(kind: Kind): EntryOf<Kind>[] =>
    (byKind.get(kind) ?? []) as EntryOf<Kind>[];
  return {
    acks: ofKind('ack'),
    repeats: ofKind('repeat'),
    bought: ofKind('bought'),
    unfinished: ofKind('unfinished'),
    refused: ofKind('refused'),
    unanswered: ofKind('unanswered'),
    wrong: [...ofKind('wrong'), ...ofKind('gave_up')],
    office: {
      payments: ofKind('payment'),
      seen: ofKind('payment_seen'),
      trades: ofKind('trade'),
      short: ofKind('short'),
      balances: ofKind('balances'),
      replays: ofKind('replay'),
      open: ofKind('open'),
      again: ofKind('again'),
    },
    races: logs<RaceAnswer>('racer', race.processes),
    received: readNdjson<Received>(join(folder, 'receiver.ndjson')),
  };
}

/** Deliveries and tasks that could have been claimed for longer than `forMs`, leases included. */
export async function overdueNow(client: Client, forMs: number): Promise<Run['overdue']> {
  const { rows } = await client.query<Run['overdue'][number]>(
    `with clock as (select extract(epoch from clock_timestamp()) * 1000 as now)
      select 'delivery' as what, id, round(clock.now - free_at)::int as for_ms
      from (select id, coalesce(lease_until, due_at) as free_at from gateramp.delivery_queue) queue, clock where free_at < clock.now - $1
      union all
      select row ->> 'kind', id, round(clock.now - free_at)::int from gateramp.tasks, clock where free_at < clock.now - $1`,
    [forMs],
  );
  return rows;
}
