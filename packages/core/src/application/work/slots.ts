import type { Scope } from '../../domain/mode.js';
import type { Policy } from '../../domain/policy.js';
import type { Lane } from '../../domain/webhook/delivery.js';
import type { WorkKind } from '../../ports/store.js';

/** Each kind of work has its own slots. */
export type SlotKind = WorkKind | 'reaper';

/** The number of items begun and slots freed up to one moment. */
export interface SlotMark {
  readonly begun: number;
  readonly freed: number;
}

interface SlotsOptions {
  /** Called when a slot is freed while `isWaiting`. */
  readonly onFree: () => void;
  readonly onFailure: (error: unknown, kind: SlotKind) => void;
}

/** The work running in this process, by the slots it takes. */
export class Slots {
  private readonly running = new Set<Running>();
  private readonly busy = new Tally<SlotKind>();
  /** Attempts that have their response but are not recorded yet. */
  private readonly recording = new Tally<Lane>();
  private begun = 0;
  private freed = 0;
  /** Due work is waiting for a slot. */
  isWaiting = false;

  constructor(
    private readonly policy: Policy,
    private readonly options: SlotsOptions,
  ) {}

  get isIdle(): boolean {
    return this.running.size === 0;
  }

  get underWay(): number {
    return this.running.size;
  }

  mark(): SlotMark {
    return { begun: this.begun, freed: this.freed };
  }

  /** Whether anything has begun, or a slot was freed, since `mark`. */
  hasMovedSince(mark: SlotMark): boolean {
    return this.begun > mark.begun || this.freed > mark.freed;
  }

  /** Resolves when no work of these scopes is running; of any, by default. */
  async idle(isOf: ((scope: Scope) => boolean) | null = null): Promise<void> {
    const left = (): readonly Running[] =>
      [...this.running].filter(({ scope }) => isOf === null || (scope !== null && isOf(scope)));
    for (let running = left(); running.length > 0; running = left())
      await Promise.all(running.map(({ ended }) => ended));
  }

  /** The free slots of this kind; if there are none, work waits for one. */
  free(kind: SlotKind, most: number): number {
    const free = Math.max(0, most - this.busy.of(kind));
    if (free === 0) this.isWaiting = true;
    return free;
  }

  /**
   * The maximum number of slots per endpoint: many while most are free, one when they run short. A hanging receiver therefore never takes
   * the last ones, however many events it is owed, and hundreds of such receivers leave some free. While there are plenty, an attempt that
   * is only being recorded takes no slot.
   */
  ofOneEndpoint(lane: Lane): number {
    const { attemptsInFlightMax, attemptsPerEndpointMax } = this.policy;
    const free = attemptsInFlightMax - this.busy.of(lane);
    const own = Math.min(attemptsPerEndpointMax, Math.max(1, Math.floor(free / 8)));
    return free >= attemptsInFlightMax / 2 ? own + this.recording.of(lane) : own;
  }

  begin(kind: SlotKind, scope: Scope | null, work: Promise<void>): void {
    this.begun += 1;
    this.busy.add(kind, 1);
    const running: Running = { scope, ended: work };
    running.ended = this.follow(running, kind, work);
    this.running.add(running);
  }

  private async follow(running: Running, kind: SlotKind, work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      // The row keeps its lease and is claimed again when that expires, so the error loses nothing.
      this.options.onFailure(error, kind);
    } finally {
      this.busy.add(kind, -1);
      this.running.delete(running);
      this.noteFree();
    }
  }

  /** Frees the slot for the next delivery once the receiver has responded, while this one is being recorded. */
  async attempting(lane: Lane, attempt: (onAnswered: () => void) => Promise<unknown>): Promise<void> {
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
    if (this.isWaiting) this.options.onFree();
  }
}

interface Running {
  /** Null for work that belongs to no partner. */
  readonly scope: Scope | null;
  /** Resolves once it has ended and its slot is free. */
  ended: Promise<void>;
}

/** Counts by name, starting at 0. */
class Tally<Name> {
  private readonly counts = new Map<Name, number>();

  of(name: Name): number {
    return this.counts.get(name) ?? 0;
  }

  add(name: Name, count: number): void {
    this.counts.set(name, this.of(name) + count);
  }
}
