import { type Mode, MODES } from '../../domain/mode.js';
import type { Clocks } from '../../ports/edge.js';
import type { DueItem, SandboxDue, SandboxesDue, WorkKind, WorkTime } from '../../ports/store.js';
import type { Engine } from '../engine.js';
import type { SlotMark, Slots } from './slots.js';

/** Above this number, running items count as a stream of work; below it they arrive one by one, each with its own wake-up. */
export const MANY = 8;

/** When work arrives one by one, the next item usually comes sooner than this, which makes a look-up unnecessary. */
const LOOK_AFTER_MS = 10;

/** When to claim again while other processes use all slots of an endpoint; this process gets no signal when one is freed. */
const OTHERS_SLOTS_MS = 250;

/** The times by which work is due: of each mode, and of the sandboxes that are ahead of theirs. */
export function workTime(clock: Clocks): WorkTime {
  const now = { test: clock.ofMode('test'), live: clock.ofMode('live') };
  const ahead = clock.ahead();
  if (ahead.size === 0) return { now };
  return { now, sandboxes: new Map([...ahead].map(([partnerId, byMs]) => [partnerId, now.test + byMs])) };
}

/** What is due next in one sandbox, by its own time. */
export async function sandboxDue(
  { store, clock }: Pick<Engine, 'store' | 'clock'>,
  partnerId: string,
  request: Omit<SandboxesDue, 'ahead'>,
): Promise<readonly SandboxDue[]> {
  if (store.sandboxesDue === undefined)
    throw new TypeError('This store has no `sandboxesDue`: it cannot list the work of one sandbox.');
  return store.sandboxesDue({ ahead: new Map([[partnerId, clock.ahead().get(partnerId) ?? 0]]), ...request });
}

/** The next due item, and the time until then: below zero if it is overdue. */
export interface NextWork {
  readonly item: DueItem | SandboxDue;
  readonly delayMs: number;
}

/** The next due item of a mode by the clock of the sandbox it belongs to. By default of all kinds except `PAUSED_LANE`. */
export async function nextWork(
  { store, clock }: Pick<Engine, 'store' | 'clock'>,
  mode: Mode,
  kinds?: readonly WorkKind[],
): Promise<NextWork | null> {
  const ahead = clock.ahead();
  const [head, [sandbox] = []] = await Promise.all([
    store.nextDue(mode, kinds),
    mode === 'live' || ahead.size === 0 ? [] : store.sandboxesDue?.({ ahead, kinds, limit: 1 }),
  ]);
  const now = clock.ofMode(mode);
  const ofMode = head === null ? null : { item: head, delayMs: head.dueAt - now };
  if (sandbox === undefined) return ofMode;
  const ofSandbox = { item: sandbox, delayMs: sandbox.dueAt - clock.now(sandbox) };
  // At the time of the mode, the work of a sandbox that is ahead is found later than it is due, so that of the sandbox comes first.
  return ofMode === null || ofSandbox.delayMs <= ofMode.delayMs ? ofSandbox : ofMode;
}

interface NextWakeUpOptions {
  readonly nextWork: (mode: Mode) => Promise<NextWork | null>;
  readonly isPaused: (mode: Mode) => boolean;
  /** Called when something is due that may be claimed immediately. */
  readonly claimNow: () => void;
}

/**
 * Looks up what is due next after a round that left nothing to claim, and sets the scheduler accordingly. Look-ups never overlap; a new
 * round cancels the current one.
 */
export class NextWakeUp {
  /** When the last round began; null while another runs. */
  private after: SlotMark | null = null;
  /** Resolves when the current look-up has ended. */
  lookUp: Promise<void> | null = null;

  constructor(
    private readonly engine: Engine,
    private readonly slots: Slots,
    private readonly options: NextWakeUpOptions,
  ) {}

  lookAfter(round: SlotMark): void {
    this.after = round;
    this.lookUp ??= this.findNext();
  }

  /** Called when another round begins, which looks up again afterwards. */
  cancel(): void {
    this.after = null;
  }

  private async findNext(): Promise<void> {
    for (let round = this.after; round !== null; round = this.after) {
      try {
        // With few items running no endpoint uses up its share of slots, so due work comes with its own wake-up.
        if (this.slots.underWay < MANY) await this.engine.deadlines.rest(LOOK_AFTER_MS);
        if (this.after !== round) continue;
        const heads = await Promise.all(MODES.map((mode) => this.options.nextWork(mode)));
        if (this.after !== round) continue;
        this.after = null;
        this.prepareFor(heads, round);
      } catch (error) {
        if (this.after === round) this.after = null;
        this.engine.telemetry.failure(error, { place: 'look' });
      }
    }
    this.lookUp = null;
  }

  private prepareFor(heads: readonly (NextWork | null)[], round: SlotMark): void {
    let isDueNow = false;
    for (const next of heads) {
      if (next === null || this.options.isPaused(next.item.mode)) continue;
      const { delayMs } = next;
      if (delayMs > 0) this.engine.scheduler.wake([{ delayMs }]);
      // It arrived while the round found other work. A slot freed since then was not needed when the round began.
      else if (this.slots.hasMovedSince(round)) isDueNow = true;
      else this.waitForSlot();
    }
    if (isDueNow) this.options.claimNow();
  }

  /** An endpoint uses all its slots, here or in another process. */
  private waitForSlot(): void {
    if (this.slots.isIdle) this.engine.scheduler.wake([{ delayMs: OTHERS_SLOTS_MS }]);
    else this.slots.isWaiting = true;
  }
}
