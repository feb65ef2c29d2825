import { isLeased, leaseOf, MODES, PAUSED_LANE, type Instant, type Mode, type Scope } from '@gateramp/core/domain';
import type { Lease, WorkOwner, WorkTime } from '@gateramp/core/ports';
import { isSooner, type DueItem } from './due-queue.js';
import { FairQueue } from './fair-queue.js';
import { takeFairly, type TakeLimits } from './take-fairly.js';

/** The common members of deliveries and tasks. */
interface Work {
  readonly id: string;
  readonly partnerId: string;
  readonly mode: Mode;
  readonly leaseToken: string | null;
  readonly leaseUntil: Instant | null;
  readonly claims: number;
}

interface WorkTraits<Row> {
  /** The time from which it may be claimed; null for never. */
  freeAt(row: Row): Instant | null;
  /** Lanes are claimed separately. */
  lane(row: Row): string;
  /** Rows of one endpoint share its slots. */
  endpoint(row: Row): string;
}

interface WorkClaim extends TakeLimits, WorkTime {
  readonly lane: string;
  readonly leaseMs: number;
  readonly token: string;
}

interface Cell<Row> extends DueItem {
  row: Row;
}

type Lanes<Row> = Map<string, FairQueue<Cell<Row>>>;

/** The waiting and leased rows of a sandbox that has its own time. */
interface Sandbox<Row> {
  readonly lanes: Lanes<Row>;
  readonly cells: Set<Cell<Row>>;
}

/** Rows that become due and are leased, each in the queue that matches its state. */
export class WorkTable<Row extends Work> {
  private readonly cells = new Map<string, Cell<Row>>();
  private readonly lanes: Record<Mode, Lanes<Row>> = { test: new Map(), live: new Map() };
  /** The sandboxes that ever had their own time, by partner; their rows are in none of `lanes`. */
  private readonly sandboxes = new Map<string, Sandbox<Row>>();
  private readonly traits: WorkTraits<Row>;

  constructor(traits: WorkTraits<Row>) {
    this.traits = traits;
  }

  /** All rows of a mode, in no order. */
  rows(mode: Mode): readonly Row[] {
    return [...this.cells.values()].map(({ row }) => row).filter((row) => row.mode === mode);
  }

  has(id: string): boolean {
    return this.cells.has(id);
  }

  find(owner: WorkOwner, id: string): Row | null {
    const row = this.cells.get(id)?.row;
    return row !== undefined && isOf(row, owner) ? row : null;
  }

  /** Whether `token` is of the current lease; an expired lease that was not taken over still counts. */
  isHeldBy(id: string, token: string): boolean {
    return this.cells.get(id)?.row.leaseToken === token;
  }

  /** Inserts the row, or replaces the row with that id. */
  put(row: Row): void {
    const cell = this.cells.get(row.id);
    if (cell !== undefined) {
      this.move(cell, row);
      return;
    }
    const fresh: Cell<Row> = { id: row.id, row, due: 0, heapIndex: -1 };
    this.cells.set(row.id, fresh);
    this.enqueue(fresh);
  }

  remove(id: string): void {
    const cell = this.cells.get(id);
    if (cell === undefined) return;
    this.dequeue(cell);
    this.cells.delete(id);
  }

  claim(request: WorkClaim): Row[] {
    const { now: times, sandboxes, lane } = request;
    for (const partnerId of sandboxes?.keys() ?? []) this.sandboxOf(partnerId);
    const sources = MODES.map((mode) => ({ queue: queueOf(this.lanes[mode], lane), now: times[mode] }));
    for (const [partnerId, { lanes }] of this.sandboxes)
      sources.push({ queue: queueOf(lanes, lane), now: sandboxes?.get(partnerId) ?? times.test });
    return takeFairly(sources, request).map(({ item, now }) =>
      this.lease(item, { now, leaseMs: request.leaseMs, token: request.token }),
    );
  }

  /** Claims this row if it is free and due; with `early` also before it is due. */
  claimOne({ mode }: WorkOwner, id: string, lease: Lease & { readonly early: boolean }): Row | null {
    const cell = this.cells.get(id);
    if (cell === undefined || cell.row.mode !== mode) return null;
    const freeAt = this.traits.freeAt(cell.row);
    if (freeAt === null || isLeased(cell.row, lease.now)) return null;
    return freeAt <= lease.now || lease.early ? this.lease(cell, lease) : null;
  }

  /** The first item to become free in a mode, or in these lanes of it: by due time or end of lease. */
  soonest(mode: Mode, lanes?: readonly string[]): DueItem | null {
    let found: DueItem | null = null;
    const own = mode === 'test' ? [...this.sandboxes.values()].map((sandbox) => sandbox.lanes) : [];
    for (const all of [this.lanes[mode], ...own])
      for (const [lane, queue] of all) {
        if (!isAmong(lane, lanes)) continue;
        const head = queue.peek();
        if (head !== null && (found === null || isSooner(head, found))) found = head;
      }
    return found;
  }

  /** The items of a sandbox that become free first, in these lanes or in all. */
  ofSandbox(partnerId: string, limit: number, lanes?: readonly string[]): readonly DueItem[] {
    const items = [...this.sandboxOf(partnerId).cells].filter(({ row }) => isAmong(this.traits.lane(row), lanes));
    return items.sort((one, other) => (isSooner(one, other) ? -1 : 1)).slice(0, limit);
  }

  /** Moves the rows of a sandbox to queues of its own when it is first asked for. */
  private sandboxOf(partnerId: string): Sandbox<Row> {
    const known = this.sandboxes.get(partnerId);
    if (known !== undefined) return known;
    const cells = [...this.cells.values()].filter(({ row }) => row.mode === 'test' && row.partnerId === partnerId);
    for (const cell of cells) this.dequeue(cell);
    const sandbox: Sandbox<Row> = { lanes: new Map(), cells: new Set() };
    this.sandboxes.set(partnerId, sandbox);
    for (const cell of cells) this.enqueue(cell);
    return sandbox;
  }

  private lease(cell: Cell<Row>, lease: Lease): Row {
    const { row } = cell;
    this.move(cell, { ...row, ...leaseOf(row, lease) });
    return cell.row;
  }

  private move(cell: Cell<Row>, row: Row): void {
    this.dequeue(cell);
    cell.row = row;
    this.enqueue(cell);
  }

  private dequeue(cell: Cell<Row>): void {
    const { row } = cell;
    this.laneOf(row).remove(this.traits.endpoint(row), cell);
    this.ownSandbox(row)?.cells.delete(cell);
  }

  private enqueue(cell: Cell<Row>): void {
    const { row } = cell;
    const freeAt = this.traits.freeAt(row);
    if (freeAt === null) return;
    cell.due = freeAt;
    this.ownSandbox(row)?.cells.add(cell);
    if (row.leaseToken === null) this.laneOf(row).wait(this.traits.endpoint(row), cell);
    else this.laneOf(row).lease(this.traits.endpoint(row), cell);
  }

  private laneOf(row: Row): FairQueue<Cell<Row>> {
    return queueOf(this.ownSandbox(row)?.lanes ?? this.lanes[row.mode], this.traits.lane(row));
  }

  private ownSandbox({ mode, partnerId }: Row): Sandbox<Row> | undefined {
    return mode === 'test' ? this.sandboxes.get(partnerId) : undefined;
  }
}

function queueOf<Row>(lanes: Lanes<Row>, name: string): FairQueue<Cell<Row>> {
  const known = lanes.get(name);
  if (known !== undefined) return known;
  const queue = new FairQueue<Cell<Row>>();
  lanes.set(name, queue);
  return queue;
}

/** Whether the lane is one of these; by default all but the paused one are. */
function isAmong(lane: string, lanes: readonly string[] | undefined): boolean {
  return lanes === undefined ? lane !== PAUSED_LANE : lanes.includes(lane);
}

function isOf(row: Scope, { mode, partnerId = row.partnerId }: WorkOwner): boolean {
  return row.mode === mode && row.partnerId === partnerId;
}
