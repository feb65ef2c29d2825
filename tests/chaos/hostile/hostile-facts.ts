import { join } from 'node:path';
import type { Client } from 'pg';

import { readNdjson } from '../lib/ndjson.js';
import type { HostileForm } from '../forms.js';
import type { Exit } from '../lib/supervised.js';
import type { Period } from '../audit/facts.js';
import { withClient } from '../world.js';
import type { HostileWorld } from './hostile-world.js';
import type { Way } from './ways.js';

/** Times are epoch milliseconds; `took`, `ms` and `heldMs` are durations. */
export interface HostileFacts {
  form: HostileForm;
  run: HostileRun;
  exits: Exit[];
  /** The healthy partner. */
  healthy: string;
  receivers: { partner: string; way: Way; endpoint: number }[];
  held: Held[];
  ledAstray: { at: number; path: string }[];
  asked: Asked[];
  arrived: Arrived[];
  deliveries: DeliveryRow[];
  /** Without attempts at receivers while they behaved. */
  attempts: AttemptRow[];
  tameAttempts: AttemptRow[];
}

export interface HostileRun {
  baseline: Period;
  /** The same receivers, events and moments, while they behaved. */
  tameness: Period;
  hostility: Period;
  refused: { partner: string; reference?: string; status: number | null }[];
  /** Megabytes: after a garbage collection before and during the run, and the maximum with garbage. */
  memory: { before: number; during: number[]; peak: number };
}

/** How long a hostile receiver kept its connection, and how much it sent. */
interface Held {
  at: number;
  endpoint: number;
  way: Way;
  event: string | null;
  heldMs: number;
  sent: number;
}

interface Asked {
  at: number;
  status: number | null;
  ms: number;
}

interface Arrived {
  at: number;
  event: string | null;
}

interface DeliveryRow {
  id: string;
  partner: string;
  event: string;
  created: number;
  status: string;
}

export interface AttemptRow {
  partner: string;
  delivery: string;
  number: number;
  started: number;
  took: number;
  status: number | null;
  error: string | null;
  /** Characters of the response. */
  kept: number | null;
}

type Note = ({ kind: 'held' } & Held) | { kind: 'led_astray'; at: number; path: string };
type HealthyNote = ({ kind: 'asked' } & Asked) | ({ kind: 'arrived' } & Arrived);

/** The records of all processes about hostile receivers and a healthy one. */
export async function readHostileFacts({
  world,
  form,
  run,
}: {
  readonly world: HostileWorld;
  readonly form: HostileForm;
  readonly run: HostileRun;
}): Promise<HostileFacts> {
  const notes = readNdjson<Note>(join(world.folder, 'hostile-endpoints.ndjson'));
  const healthy = readNdjson<HealthyNote>(join(world.folder, 'healthy.ndjson'));
  return {
    form,
    run,
    exits: world.exits,
    healthy: world.healthy.id,
    receivers: world.hostile.map(({ id, way, endpoint }) => ({ partner: id, way, endpoint })),
    held: notes.filter((note) => note.kind === 'held'),
    ledAstray: notes.filter((note) => note.kind === 'led_astray'),
    asked: healthy.filter((note) => note.kind === 'asked'),
    arrived: healthy.filter((note) => note.kind === 'arrived'),
    ...tameApart(world, run, await withClient(world, readRows)),
  };
}

type Rows = Pick<HostileFacts, 'deliveries' | 'attempts'>;

function tameApart(
  { healthy }: HostileWorld,
  { hostility }: HostileRun,
  { deliveries, attempts }: Rows,
): Rows & Pick<HostileFacts, 'tameAttempts'> {
  const isTame = ({ partner, created }: DeliveryRow): boolean => partner !== healthy.id && created < hostility.from;
  // By delivery: receivers behave at each of its attempts, including late ones.
  const tame = new Set(deliveries.filter(isTame).map(({ id }) => id));
  return {
    deliveries: deliveries.filter((delivery) => !isTame(delivery)),
    attempts: attempts.filter(({ delivery }) => !tame.has(delivery)),
    tameAttempts: attempts.filter(({ delivery }) => tame.has(delivery)),
  };
}

async function readRows(client: Client): Promise<Rows> {
  const { rows: deliveries } = await client.query<DeliveryRow>(
    `select id, partner_id as partner, event_id as event, created_at::float8 as created, status from gateramp.deliveries`,
  );
  const { rows: attempts } = await client.query<AttemptRow>(
    `select d.partner_id as partner, d.id as delivery, (a ->> 'number')::int as number, (a ->> 'startedAt')::float8 as started,
      (a ->> 'durationMs')::float8 as took, (a ->> 'responseStatus')::int as status, a ->> 'error' as error, length(a ->> 'responseBody') as kept
    from gateramp.deliveries d, unnest(d.attempts) as a`,
  );
  return { deliveries, attempts };
}
