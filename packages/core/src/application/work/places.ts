import type { Mode } from '../../domain/mode.js';
import type { Policy } from '../../domain/policy.js';
import type { Lane } from '../../domain/webhook/delivery.js';
import type { WorkKind } from '../../ports/store.js';

/** Each kind of work has places of its own. */
export type Place = WorkKind | 'reaper';

/** What this process has under way, by the places it takes. */
export class Places {
  /** What was begun, and its mode; the reaper's is null. */
  private readonly running = new Map<Promise<void>, Mode | null>();
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

  /** Resolves when nothing that was begun is still running. */
  async idle(): Promise<void> {
    while (!this.isIdle) await Promise.all(this.running.keys());
  }

  async idleIn(mode: Mode): Promise<void> {
    const running = (): readonly Promise<void>[] =>
      [...this.running].flatMap(([work, its]) => (its === mode ? [work] : []));
    for (let left = running(); left.length > 0; left = running()) await Promise.all(left);
  }

  free(place: Place, most: number): number {
    return Math.max(0, most - this.busy.of(place));
  }

  /**
   * Places one endpoint may have: many while most are free, one when they run short. So a receiver that hangs never takes the last ones,
   * however many events it is owed, and hundreds of them leave some. While there is plenty, an attempt that is only being recorded counts for
   * nobody.
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
    const tracked = work
      // The row keeps its lease and is claimed again when it lapses; nothing is lost with the error.
      .catch((error: unknown) => this.onFailure(error, place))
      .finally(() => {
        this.busy.add(place, -1);
        this.running.delete(tracked);
        this.noteFree();
      });
    this.running.set(tracked, mode);
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
