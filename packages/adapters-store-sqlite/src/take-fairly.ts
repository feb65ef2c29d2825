import { MODES, sandboxEndpoint, type Instant, type Mode } from '@gateramp/core/domain';
import type { DeliveryClaim } from '@gateramp/core/ports';
import type { Connection } from './connection.js';

/** Work that is due, on the clock of its mode. */
interface Due {
  readonly id: string;
  readonly freeAt: Instant;
  readonly now: Instant;
}

interface Head {
  readonly endpoint: string;
  readonly mode: Mode;
  readonly freeAt: Instant;
  readonly now: Instant;
}

/** The number of heads read at once. Few due heads have no room: at most as many as workers have slots. */
const HEADS_AT_ONCE = 100;

/**
 * Takes due deliveries of a lane in rounds of one per endpoint, the endpoint that has waited longest first; returns them in the order they
 * were due. Different clocks are compared by how long the work has been overdue on its own.
 */
export function takeFairly(db: Connection, request: DeliveryClaim): readonly Due[] {
  const { limit } = request;
  const turns: (readonly Due[])[] = [];
  for (const head of inOrderDue(MODES.flatMap((mode) => headsWithRoom(db, request, mode))).slice(0, limit))
    turns.push(dueOf(db, request, head));
  const taken: Due[] = [];
  for (let round = 0; taken.length < limit; round += 1) {
    const ofRound = turns.flatMap((due) => due[round] ?? []);
    if (ofRound.length === 0) break;
    taken.push(...ofRound.slice(0, limit - taken.length));
  }
  return inOrderDue(taken);
}

/** The longest overdue first. */
export function inOrderDue<Item extends { readonly freeAt: Instant; readonly now: Instant; readonly id?: string }>(
  items: readonly Item[],
): readonly Item[] {
  return [...items].sort((one, other) => {
    const difference = other.now - other.freeAt - (one.now - one.freeAt);
    return difference !== 0 ? difference : (one.id ?? '') < (other.id ?? '') ? -1 : 1;
  });
}

/** The endpoints of sandboxes with their own time that have due work. */
function headsOfSandboxes(db: Connection, nowOf: ReadonlyMap<string, Instant>, lane: string): Head[] {
  const text = "select free_at from queue_heads where mode = 'test' and lane = ? and endpoint = ? and free_at <= ?";
  return [...nowOf].flatMap(([endpoint, now]) =>
    db
      .all<{ free_at: number }>(text, lane, endpoint, now)
      .map(({ free_at: freeAt }): Head => ({ endpoint, mode: 'test', freeAt, now })),
  );
}

/** At least `limit` endpoints, if there are so many, of a mode with due work and a free slot for it. */
function headsWithRoom(db: Connection, request: DeliveryClaim, mode: Mode): Head[] {
  const { now: clocks, sandboxes, lane, limit, perEndpoint } = request;
  const now = clocks[mode];
  const apart = new Map(
    mode === 'live' ? [] : [...(sandboxes ?? [])].map(([partnerId, at]) => [sandboxEndpoint(partnerId, lane), at]),
  );
  const heads: Head[] = headsOfSandboxes(db, apart, lane).filter((head) => leased(db, head, lane) < perEndpoint);
  const text = `select endpoint, free_at from queue_heads where mode = ? and lane = ? and free_at <= ?
    order by free_at, endpoint limit ${HEADS_AT_ONCE} offset ?`;
  for (let from = 0; heads.length < limit; from += HEADS_AT_ONCE) {
    const rows = db.all<{ endpoint: string; free_at: number }>(text, mode, lane, now, from);
    for (const { endpoint, free_at: freeAt } of rows)
      if (!apart.has(endpoint) && leased(db, { endpoint, mode, freeAt, now }, lane) < perEndpoint)
        heads.push({ endpoint, mode, freeAt, now });
    if (rows.length < HEADS_AT_ONCE) break;
  }
  return heads;
}

function dueOf(db: Connection, { lane, limit, perEndpoint }: DeliveryClaim, head: Head): readonly Due[] {
  const { mode, endpoint, now } = head;
  const room = Math.min(limit, perEndpoint - leased(db, head, lane));
  const text = `select id, free_at from deliveries where mode = ? and lane = ? and endpoint = ? and free_at <= ?
    order by free_at, id limit ${room}`;
  const rows = db.all<{ id: string; free_at: number }>(text, mode, lane, endpoint, now);
  return rows.map((row) => ({ id: row.id, freeAt: row.free_at, now }));
}

/** The live leases of an endpoint in a lane. */
function leased(db: Connection, { mode, endpoint, now }: Head, lane: string): number {
  const text = `select count(*) as live from deliveries
    where mode = ? and lane = ? and endpoint = ? and lease_token is not null and lease_until > ?`;
  return db.all<{ live: number }>(text, mode, lane, endpoint, now)[0]?.live ?? 0;
}
