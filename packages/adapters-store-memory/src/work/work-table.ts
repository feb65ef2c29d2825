import { isLeased, leaseOf, MODES, PAUSED_LANE, type Instant, type Mode } from '@gateramp/core/domain';
import type { Lease } from '@gateramp/core/ports';
import { isSooner, type DueItem } from './due-queue.js';
import { FairQueue } from './fair-queue.js';
import { takeFairly, type TakeLimits } from './take-fairly.js';

/** The common members of deliveries and tasks. */
interface Work {
  readonly id: string;
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

interface WorkClaim extends TakeLimits {
  readonly now: Readonly<Record<Mode, Instant>>;
  readonly lane: string;
  readonly leaseMs: number;
  readonly token: string;
}

interface Cell<Row> extends DueItem {
  row: Row;
}

/** Rows that become due and are leased, each in the queue that matches its state. */
export class WorkTable<Row extends Work> {
  private readonly cells = new Map<string, Cell<Row>>();
  private readonly lanes: Record<Mode, Map<string, FairQueue<Cell<Row>>>> = { test: new Map(), live: new Map() };
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

  find(mode: Mode, id: string): Row | null {
    const row = this.cells.get(id)?.row;
    return row?.mode === mode ? row : null;
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
    this.laneOf(cell.row).remove(this.traits.endpoint(cell.row), cell);
    this.cells.delete(id);
  }

  claim(request: WorkClaim): Row[] {
    const sources = MODES.map((mode) => ({ queue: this.lane(mode, request.lane), now: request.now[mode] }));
    return takeFairly(sources, request).map(({ item, now }) =>
      this.lease(item, { now, leaseMs: request.leaseMs, token: request.token }),
    );
  }

  /** Claims this row if it is free and due; with `early` also before it is due. */
  claimOne(mode: Mode, id: string, lease: Lease & { readonly early: boolean }): Row | null {
    const cell = this.cells.get(id);
    if (cell === undefined || cell.row.mode !== mode) return null;
    const freeAt = this.traits.freeAt(cell.row);
    if (freeAt === null || isLeased(cell.row, lease.now)) return null;
    return freeAt <= lease.now || lease.early ? this.lease(cell, lease) : null;
  }

  /** The first item to become free in a mode, or in these lanes of it: by due time or end of lease. */
  soonest(mode: Mode, lanes?: readonly string[]): DueItem | null {
    let found: DueItem | null = null;
    for (const [lane, queue] of this.lanes[mode]) {
      if (lanes === undefined ? lane === PAUSED_LANE : !lanes.includes(lane)) continue;
      const head = queue.peek();
      if (head !== null && (found === null || isSooner(head, found))) found = head;
    }
    return found;
  }

  private lease(cell: Cell<Row>, lease: Lease): Row {
    const { row } = cell;
    this.move(cell, { ...row, ...leaseOf(row, lease) });
    return cell.row;
  }

  private move(cell: Cell<Row>, row: Row): void {
    this.laneOf(cell.row).remove(this.traits.endpoint(cell.row), cell);
    cell.row = row;
    this.enqueue(cell);
  }

  private enqueue(cell: Cell<Row>): void {
    const { row } = cell;
    const freeAt = this.traits.freeAt(row);
    if (freeAt === null) return;
    cell.due = freeAt;
    if (row.leaseToken === null) this.laneOf(row).wait(this.traits.endpoint(row), cell);
    else this.laneOf(row).lease(this.traits.endpoint(row), cell);
  }

  private laneOf(row: Row): FairQueue<Cell<Row>> {
    return this.lane(row.mode, this.traits.lane(row));
  }

  private lane(mode: Mode, name: string): FairQueue<Cell<Row>> {
    const known = this.lanes[mode].get(name);
    if (known !== undefined) return known;
    const queue = new FairQueue<Cell<Row>>();
    this.lanes[mode].set(name, queue);
    return queue;
  }
}
