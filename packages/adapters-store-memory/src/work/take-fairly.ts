import type { Instant } from '@gateramp/core/domain';
import type { DueItem, DueQueue } from './due-queue.js';
import type { FairQueue } from './fair-queue.js';

/** The work of one mode, on the clock of that mode. */
interface Source<Item extends DueItem> {
  readonly queue: FairQueue<Item>;
  readonly now: Instant;
}

interface Taken<Item> {
  readonly item: Item;
  readonly now: Instant;
}

export interface TakeLimits {
  readonly limit: number;
  /** The maximum number of live leases per endpoint, including those taken now. */
  readonly perEndpoint: number;
}

/**
 * Takes due items in rounds of one per endpoint, the endpoint that has waited longest first, so that the backlog of
 * one endpoint delays every other by at most one item per round. Returns the items in the order they were due; they
 * are in no queue until the caller leases them.
 */
export function takeFairly<Item extends DueItem>(sources: readonly Source<Item>[], limits: TakeLimits): Taken<Item>[] {
  const taken: Taken<Item>[] = [];
  const isFull = () => taken.length >= limits.limit;

  const turns: Turn<Item>[] = [];
  while (!isFull()) {
    const turn = nextTurn(sources, limits.perEndpoint);
    if (turn === null) break;
    turns.push(turn);
    takeOne(turn, taken);
  }
  let open = turns;
  while (!isFull() && open.length > 0) open = open.filter((turn) => !isFull() && takeOne(turn, taken));

  for (const turn of turns) turn.source.queue.putBack(turn.queue);
  return taken.sort(byLateness);
}

interface Turn<Item extends DueItem> {
  readonly source: Source<Item>;
  readonly queue: DueQueue<Item>;
  room: number;
}

function nextTurn<Item extends DueItem>(sources: readonly Source<Item>[], perEndpoint: number): Turn<Item> | null {
  const source = latest(sources);
  const queue = source?.queue.draw(source.now) ?? null;
  if (source === null || queue === null) return null;
  return { source, queue, room: perEndpoint - queue.liveLeases(source.now) };
}

/** Different clocks are compared by how long the work has been overdue on its own. */
function latest<Item extends DueItem>(sources: readonly Source<Item>[]): Source<Item> | null {
  let found: Source<Item> | null = null;
  let most = -Infinity;
  for (const source of sources) {
    const head = source.queue.peek();
    if (head === null || source.now - head.due <= most) continue;
    found = source;
    most = source.now - head.due;
  }
  return found;
}

function takeOne<Item extends DueItem>(turn: Turn<Item>, taken: Taken<Item>[]): boolean {
  const item = turn.room > 0 ? turn.queue.takeDue(turn.source.now) : null;
  if (item === null) return false;
  turn.room -= 1;
  taken.push({ item, now: turn.source.now });
  return true;
}

function byLateness<Item extends DueItem>(a: Taken<Item>, b: Taken<Item>): number {
  const difference = b.now - b.item.due - (a.now - a.item.due);
  if (difference !== 0) return difference;
  return a.item.id < b.item.id ? -1 : 1;
}
