import type { Mode } from '@gateramp/core';
import type { Instant, Lane } from '@gateramp/core/domain';

/** The time between two positions that are made from the heads, unless making them would take more than this part of the time. */
const RENEW_MS = 5_000;
const SHARE = 1 / 50;

/** Asks `claim_due` to make a new position. */
const NEW = '{}';

/** As `claim_due` writes it. */
interface Position extends Record<Mode, { readonly from: Instant; readonly due_at: Instant; readonly id: string }> {
  /** The endpoints that have rows in front of the place of their mode, and when the first of them is due, or earlier. */
  readonly heads: readonly Head[];
}

interface Head {
  readonly endpoint: string;
  readonly mode: Mode;
  readonly start: Instant;
}

interface LaneState {
  /** Null: claims start at the head. */
  position: Position | null;
  renewAt: number;
  /** Rows that this process has returned to the lane, until a claim has begun after that. */
  returned: readonly Head[];
  /** The number of claims that have begun, and the greatest number whose answer is not awaited any more. */
  begun: number;
  ended: number;
}

/** A claim that has begun. */
interface Beginning {
  /** For `claim_due`, as JSON; null: the head. */
  readonly position: string | null;
  /** Takes the position that the claim has answered; null if it has answered none. */
  readonly ended: (next: string | null) => void;
  readonly failed: () => void;
}

/**
 * Where the claims of each lane start. Usually that is the head. While a transaction holds a snapshot, what was delivered since stays
 * in the indexes of the queue, and each claim continues where the last one of this process ended. Rows that appear in front of that
 * place, since they were committed late, another process's clock is behind or another process has resumed their endpoint, are found
 * when a claim makes a new position from the heads.
 */
export class LanePositions {
  private readonly lanes = new Map<Lane, LaneState>();

  constructor(private readonly clock: () => number = () => performance.now()) {}

  begin(lane: Lane): Beginning {
    const state = this.stateOf(lane);
    const { position, returned } = state;
    const startedAt = this.clock();
    const isNew = position === null || startedAt >= state.renewAt;
    state.begun += 1;
    const nth = state.begun;
    const rest = (): void => {
      const endedAt = this.clock();
      state.renewAt = endedAt + Math.max(RENEW_MS, (endedAt - startedAt) / SHARE);
    };
    return {
      position: isNew
        ? position === null
          ? null
          : NEW
        : JSON.stringify({ ...position, heads: [...position.heads, ...returned] }),
      ended: (next) => {
        // A claim that began before another that has ended, or before a new position, may not know of all that those found.
        if (!isNew && (nth <= state.ended || next === null)) return;
        state.position = next === null ? null : (JSON.parse(next) as Position);
        state.returned = state.returned.filter((head) => !returned.includes(head));
        state.ended = isNew ? state.begun : nth;
        if (isNew) rest();
      },
      failed: () => {
        if (isNew) rest();
      },
    };
  }

  /** Tells of a row that is in the lane again: it may be due before what the next claim, or one that is under way, begins with. */
  returned(lane: Lane, row: Head): void {
    const state = this.lanes.get(lane);
    if (state !== undefined) state.returned = [...state.returned, row];
  }

  /** No row of the lane is due before, as far as its position tells; 0 without a position. */
  firstDue(lane: Lane, mode: Mode): Instant {
    const state = this.lanes.get(lane);
    if (state === undefined || state.position === null) return 0;
    const returned = state.returned.filter((head) => head.mode === mode).map(({ start }) => start);
    return Math.min(state.position[mode].from, ...returned);
  }

  private stateOf(lane: Lane): LaneState {
    const known = this.lanes.get(lane);
    if (known !== undefined) return known;
    const state = { position: null, renewAt: 0, returned: [], begun: 0, ended: 0 };
    this.lanes.set(lane, state);
    return state;
  }
}
