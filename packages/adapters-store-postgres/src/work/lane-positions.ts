import type { Mode } from '@gateramp/core';
import type { Instant, Lane } from '@gateramp/core/domain';
import type { WorkKind, WorkTime } from '@gateramp/core/ports';
import type { Pool } from 'pg';

/** The time between renewals of a position from the heads; longer if renewing would take more than this share of the time. */
const RENEW_MS = 5_000;
const SHARE = 1 / 50;

/** Asks for a new position. */
const NEW = '{}';

/** The JSON that `claim_due` and `claim_due_tasks` return; that of tasks has no endpoints. */
interface Position extends Record<Mode, { readonly from: Instant; readonly due_at: Instant; readonly id: string }> {
  /** The endpoints that have rows before the place of their mode. */
  readonly heads: readonly Head[];
}

interface Head {
  readonly endpoint: string;
  readonly mode: Mode;
  /** The first of its rows is due at this time or later. */
  readonly start: Instant;
}

interface LaneState {
  /** Null: claims start at the head. */
  position: Position | null;
  renewAt: number;
  /** Rows that this process has returned to the lane, until a claim that was given them has ended. */
  returned: readonly Head[];
  /** The latest time of each mode by which a claim has begun. */
  now: Readonly<Record<Mode, Instant>>;
  /** The number of claims that have begun. Positions from claims up to number `ended` are no longer accepted. */
  begun: number;
  ended: number;
}

/** A claim that has begun. */
interface Beginning {
  /** For the function that claims, as JSON; null: the head. */
  readonly position: string | null;
  /** Records the position that the claim returned; null if it returned none. */
  readonly ended: (next: string | null) => void;
  readonly failed: () => void;
}

/**
 * Where the claims of each lane, and of tasks, start: usually at the head. While a transaction holds a snapshot, rows that were delivered
 * since stay in the indexes of the queue, so each claim continues where the last one of this process ended. Rows that appear before that
 * position, because they were committed late, another process's clock is behind or another process resumed their endpoint, are found when
 * a claim renews the position from the heads.
 */
export class LanePositions {
  private readonly lanes = new Map<WorkKind, LaneState>();

  constructor(private readonly clock: () => number = () => performance.now()) {}

  /** Those of a schema that the store and the scheduler over the same pool share. */
  static shared(pool: Pool, schema: string): LanePositions {
    const ofPool = SHARED.get(pool) ?? new Map<string, LanePositions>();
    SHARED.set(pool, ofPool);
    const known = ofPool.get(schema) ?? new LanePositions();
    ofPool.set(schema, known);
    return known;
  }

  /** For a schema that was emptied: its next claims start at the heads. */
  forget(): void {
    this.lanes.clear();
  }

  begin(lane: WorkKind, { now }: WorkTime): Beginning {
    const state = this.stateOf(lane);
    state.now = { test: Math.max(state.now.test, now.test), live: Math.max(state.now.live, now.live) };
    const { position, returned } = state;
    const startedAt = this.clock();
    const isNew = position === null || startedAt >= state.renewAt;
    state.begun += 1;
    const nth = state.begun;
    const renewal = position === null ? null : NEW;
    const given = isNew ? renewal : JSON.stringify({ ...position, heads: [...position.heads, ...returned] });
    const scheduleRenewal = (): void => {
      const endedAt = this.clock();
      state.renewAt = endedAt + Math.max(RENEW_MS, (endedAt - startedAt) / SHARE);
    };
    return {
      position: given,
      ended: (next) => {
        // A claim that began before another that has ended, or before a renewal, may lack rows that those found.
        if (!isNew && (nth <= state.ended || next === null)) return;
        state.position = next === null ? null : (JSON.parse(next) as Position);
        state.returned = state.returned.filter((head) => !returned.includes(head));
        state.ended = isNew ? state.begun : nth;
        if (isNew) scheduleRenewal();
      },
      failed: () => {
        if (isNew) scheduleRenewal();
      },
    };
  }

  /**
   * Adds a row that is in the lane again, or was committed late: it may be due before the position of the next claim, or of one that is
   * running. Positions are before the time of the claim, so a row that is due later needs no addition.
   */
  addReturned(lane: WorkKind, row: Head): void {
    const state = this.lanes.get(lane);
    if (state !== undefined && row.start < state.now[row.mode]) state.returned = [...state.returned, row];
  }

  /** The time after which rows have become due that no claim has read; 0 without a position. */
  unread(lane: Lane, mode: Mode): Instant {
    return this.lanes.get(lane)?.position?.[mode].due_at ?? 0;
  }

  /** `firstDue` of each lane that claims have read, as JSON. */
  firstDues(mode: Mode): string {
    return JSON.stringify(Object.fromEntries([...this.lanes.keys()].map((lane) => [lane, this.firstDue(lane, mode)])));
  }

  /** The time before which no row of the lane is due, according to its position; 0 without one. */
  firstDue(lane: WorkKind, mode: Mode): Instant {
    const state = this.lanes.get(lane);
    if (state === undefined || state.position === null) return 0;
    const returned = state.returned.filter((head) => head.mode === mode).map(({ start }) => start);
    return Math.min(state.position[mode].from, ...returned);
  }

  private stateOf(lane: WorkKind): LaneState {
    const known = this.lanes.get(lane);
    if (known !== undefined) return known;
    const state = { position: null, renewAt: 0, returned: [], now: { test: 0, live: 0 }, begun: 0, ended: 0 };
    this.lanes.set(lane, state);
    return state;
  }
}

const SHARED = new WeakMap<Pool, Map<string, LanePositions>>();
