import type { Mode } from '../../domain/mode.js';
import type { Policy } from '../../domain/policy.js';
import type { Lane } from '../../domain/webhook/delivery.js';
import type { WorkKind } from '../../ports/store.js';

/** Each kind of work has places of its own. */
export type Place = WorkKind | 'reaper';

/** What this process has under way, by the places it takes. */
export class Places {
  private readonly running = new Set<Running>();
  private readonly busy = new Tally<Place>();
  /** Attempts that have their answer but are not recorded yet. */
  private readonly recording = new Tally<Lane>();
  /** Everything that was begun so far. */
  begun = 0;
  /** Places that became free so far. */
  freed = 0;

  constructor(
    private readonly policy: Policy,
    private readonly onFree: () => void,
    private readonly onFailure: (error: unknown, place: Place) => void,
  ) {}

  get isIdle(): boolean {
    return this.running.size === 0;
  }

  get underWay(): number {
    return this.running.size;
  }

  /** Resolves when nothing that was begun is still running. */
  async idle(): Promise<void> {
    while (!this.isIdle) await Promise.all(endsOf([...this.running]));
  }

  async idleIn(mode: Mode): Promise<void> {
    const running = (): readonly Running[] => [...this.running].filter((one) => one.mode === mode);
    for (let left = running(); left.length > 0; left = running()) await Promise.all(endsOf(left));
  }

  free(place: Place, most: number): number {
    return Math.max(0, most - this.busy.of(place));
  }

  /**
   * Places one endpoint may have: many while most are free, one when they run short. So a receiver that hangs never
   * takes the last ones, however many events it is owed, and hundreds of them leave some. While there is plenty, an
   * attempt that is only being recorded takes no place.
   */
  ofOneEndpoint(lane: Lane): number {
    const { attemptsInFlightMax, attemptsPerEndpointMax } = this.policy;
    const free = attemptsInFlightMax - this.busy.of(lane);
    const own = Math.min(attemptsPerEndpointMax, Math.max(1, Math.floor(free / 8)));
    return free >= attemptsInFlightMax / 2 ? own + this.recording.of(lane) : own;
  }

  begin(place: Place, mode: Mode | null, work: Promise<void>): void {
    this.begun += 1;
    this.busy.add(place, 1);
    const running: Running = { mode, ended: work };
    running.ended = this.follow(running, place, work);
    this.running.add(running);
  }

  private async follow(running: Running, place: Place, work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      // The row keeps its lease and is claimed again when it lapses; nothing is lost with the error.
      this.onFailure(error, place);
    } finally {
      this.busy.add(place, -1);
      this.running.delete(running);
      this.noteFree();
    }
  }

  /** Once the receiver has answered, its place is free for the next delivery while this one is recorded. */
  async attempting(lane: Lane, attempt: (onAnswered: () => void) => Promise<void>): Promise<void> {
    let isRecording = false;
    try {
      await attempt(() => {
        isRecording = true;
        this.recording.add(lane, 1);
        this.noteFree();
      });
    } finally {
      if (isRecording) this.recording.add(lane, -1);
    }
  }

  private noteFree(): void {
    this.freed += 1;
    this.onFree();
  }
}

/** What was begun. */
interface Running {
  /** The reaper's is null. */
  readonly mode: Mode | null;
  /** Resolves once it has ended and its place is free. */
  ended: Promise<void>;
}

function endsOf(running: readonly Running[]): readonly Promise<void>[] {
  return running.map(({ ended }) => ended);
}

/** Counts by name; what was never counted is 0. */
class Tally<Name> {
  private readonly counts = new Map<Name, number>();

  of(name: Name): number {
    return this.counts.get(name) ?? 0;
  }

  add(name: Name, count: number): void {
    this.counts.set(name, this.of(name) + count);
  }
}

/** Runs what it is given one after another, in the order it was asked; a failure blocks nothing. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();
  private taken = 0;

  /** Whether something runs or waits for its turn. */
  get isBusy(): boolean {
    return this.taken > 0;
  }

  take<Value>(work: () => Promise<Value>): Promise<Value> {
    this.taken += 1;
    const turn = this.last.then(work).finally(() => {
      this.taken -= 1;
    });
    this.last = turn.catch(() => undefined);
    return turn;
  }
}
