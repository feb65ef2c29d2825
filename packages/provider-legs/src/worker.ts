import type { Instant, Mode } from '@gateramp/core/domain';
import type { ProviderTestWork } from '@gateramp/core/ports';
import type { ReviewOptions } from './callback.js';
import { LEASE_MS, loaded, workOn, type Drive } from './drive.js';
import { fromDocument, isRefunding, mustRelease, operationKind, type Operation } from './operation.js';
import type { ExchangeLeg } from './ports/legs.js';
import { CLAIMED, type LegDocument } from './ports/legs-store.js';
import { removeOldQuotes } from './quotes.js';
import { workOnRefund } from './refund.js';

/** The time of the sandboxes that have their own, by partner id. */
type SandboxTimes = ReadonlyMap<string, Instant>;

/** The clocks, interval and error handler of the worker. */
export interface LegsWorkerOptions {
  readonly now: (mode: Mode) => Instant;
  /** The time of the sandboxes that are ahead of test mode: `gate.clock.sandboxes`. None by default. */
  readonly sandboxes?: () => SandboxTimes;
  /** Leaves out sandboxes that another process steps: `gate.clock.skipsStepped`. */
  readonly skipsStepped?: boolean;
  /** Receives payments whose callbacks were lost: `(mode, report) => gate.intents.report(mode, provider.name, report)`. */
  readonly report?: ReviewOptions['report'] | undefined;
  /** 1,000 by default. */
  readonly intervalMs?: number;
  /** Called with the error of an operation, which is tried again, or of a whole round, such as an outage of the store. */
  readonly onError?: (error: unknown) => void;
}

const MODES: readonly Mode[] = ['test', 'live'];
/** The maximum number of operations of a mode under way at once. */
const OPERATIONS_MAX = 32;
/** The interval between two checks of all prices. */
const PRICE_CHECK_MS = 30_000;
/** The interval between two readings of the processor's statement. */
const STATEMENT_MS = 60_000;
const NO_SANDBOXES: SandboxTimes = new Map();
const ignore = (_: unknown): void => undefined;

/** Advances the operations that are due: in rounds, and one at a time for a test clock that is being moved. */
export class OperationWorker {
  /** The number of pauses of each partner, or of all test mode (null). */
  private readonly pauses = new Map<string | null, number>();
  /** Running operations of test mode by partner, and running claims (null), which may be of any partner. */
  private readonly running = new Set<{ readonly partnerId: string | null; readonly done: Promise<unknown> }>();
  private onError: (error: unknown) => void = ignore;
  private skipsStepped = false;

  constructor(private readonly context: Drive) {}

  /** Makes the calls that are due in a mode, and returns the number of operations claimed. */
  async round(mode: Mode, now: Instant, sandboxes = NO_SANDBOXES, onError = ignore): Promise<number> {
    const work = await this.claim(mode, now, sandboxes, OPERATIONS_MAX);
    // After an error the operation is due again after its backoff or lease, and does not hold up the others.
    const results = await Promise.allSettled(work);
    for (const result of results) if (result.status === 'rejected') onError(result.reason);
    return results.length;
  }

  start(options: LegsWorkerOptions, bookStatement: (review: ReviewOptions) => Promise<void>) {
    const { now, sandboxes = () => NO_SANDBOXES, skipsStepped = false, intervalMs = 1_000, onError = ignore } = options;
    this.onError = onError;
    this.skipsStepped = skipsStepped;
    let isStopped = false;
    let wake = () => {};
    let checking: Promise<void> | null = null;
    let booking: Promise<void> | null = null;
    const { exchange } = this.context.legs;
    const nowOf = (mode: Mode, partnerId: string) =>
      (mode === 'test' ? sandboxes().get(partnerId) : undefined) ?? now(mode);
    const roundsPerCheck = Math.ceil(PRICE_CHECK_MS / intervalMs);
    const roundsPerStatement = Math.ceil(STATEMENT_MS / intervalMs);
    const underWay: Readonly<Record<Mode, Set<Promise<void>>>> = { test: new Set(), live: new Set() };
    // Does not wait for the calls, so that a slow leg holds up no other operation.
    const round = async (mode: Mode) => {
      const free = OPERATIONS_MAX - underWay[mode].size;
      if (free === 0) return;
      for (const work of await this.claim(mode, now(mode), sandboxes(), free)) {
        const ended: Promise<void> = work.catch(onError).finally(() => underWay[mode].delete(ended));
        underWay[mode].add(ended);
      }
    };
    const run = async () => {
      for (let nth = 0; !isStopped; nth += 1) {
        // Not awaited, so that a slow source of prices or statements holds up no operation.
        if (nth % roundsPerCheck === 0)
          checking ??= checkPrices(exchange)
            .catch(onError)
            .finally(() => (checking = null));
        if (nth % roundsPerStatement === 0)
          booking ??= bookStatement({ ...options, nowOf })
            .catch(onError)
            .finally(() => (booking = null));
        for (const mode of MODES) await round(mode).catch(onError);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, intervalMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    };
    const running = run();
    return {
      stop: async () => {
        isStopped = true;
        wake();
        await running;
        await Promise.all([...underWay.test, ...underWay.live, checking, booking]);
      },
    };
  }

  /** The operations of test mode, for a test clock that is moved. */
  readonly testWork: ProviderTestWork = {
    due: async ({ partnerId, limit }) => {
      const found = await this.context.store.listDue({ kind: operationKind('test'), partnerId, limit });
      return found.map((document) => {
        const operation = fromDocument(document);
        const { operationId: id, tries: attempts } = operation;
        const { partnerId } = operation;
        const isRunning = document.status === CLAIMED;
        return { id, partnerId, dueAt: document.dueAt ?? 0, what: whatOf(operation), attempts, isRunning };
      });
    },
    run: async (id, now) => {
      const { store } = this.context;
      const known = await store.load(operationKind('test'), id);
      if (known === null || known.dueAt === null || known.dueAt > now) return false;
      // Without the mark of other claims: if this process dies, an advance of another one does not wait for it.
      const status = known.status === CLAIMED ? 'running' : known.status;
      const claimed = { ...known, version: known.version + 1, status, dueAt: now + LEASE_MS };
      if ((await store.commit({ documents: [claimed], entries: [] })) === 'stale') return false;
      await this.workOn(claimed, now).catch(this.onError);
      return true;
    },
    pause: async (partnerId) => {
      this.pauses.set(partnerId, (this.pauses.get(partnerId) ?? 0) + 1);
      await this.settled(partnerId);
      return () => {
        const left = (this.pauses.get(partnerId) ?? 1) - 1;
        if (left === 0) this.pauses.delete(partnerId);
        else this.pauses.set(partnerId, left);
      };
    },
  };

  /** Claims at most `limit` operations, and returns their running calls. */
  private async claim(mode: Mode, now: Instant, sandboxes: SandboxTimes, limit: number) {
    // By the clock of live mode: that of test mode can be far ahead, and would expire quotes of live mode.
    if (mode === 'live') await removeOldQuotes(this.context.store, now);
    return this.whileRunning(null, this.begin(mode, now, sandboxes, limit));
  }

  private async begin(
    mode: Mode,
    now: Instant,
    sandboxes: SandboxTimes,
    limit: number,
  ): Promise<readonly Promise<void>[]> {
    const { store } = this.context;
    const claim = { kind: operationKind(mode), leaseMs: LEASE_MS, limit };
    if (mode === 'live') return (await store.claimDue({ ...claim, now })).map((document) => this.workOn(document, now));
    const times = this.timesOf(now, sandboxes);
    const claimed = await store.claimDue({ ...claim, ...times, ...(this.skipsStepped ? { skipsStepped: true } : {}) });
    return claimed.map((document) => {
      const { partnerId } = fromDocument(document);
      return this.whileRunning(partnerId, this.workOn(document, times.sandboxes.get(partnerId) ?? now));
    });
  }

  /** The time of a clock that is being stepped is 0, when nothing is due. */
  private timesOf(now: Instant, sandboxes: SandboxTimes) {
    const paused = [...this.pauses.keys()].filter((partnerId) => partnerId !== null);
    if (!this.pauses.has(null))
      return { now, sandboxes: new Map([...sandboxes, ...paused.map((partnerId) => [partnerId, 0] as const)]) };
    return { now: 0, sandboxes: new Map([...sandboxes.keys()].map((partnerId) => [partnerId, 0])) };
  }

  private async workOn(document: LegDocument, now: Instant): Promise<void> {
    const at = loaded(document);
    const isRefund = isRefunding(at.operation) && !mustRelease(at.operation);
    await (isRefund ? workOnRefund(this.context, at, now) : workOn(this.context, at, now));
  }

  private whileRunning<Result>(partnerId: string | null, done: Promise<Result>): Promise<Result> {
    const entry = { partnerId, done };
    this.running.add(entry);
    return done.finally(() => this.running.delete(entry));
  }

  /** Resolves when no claim, and no operation of the partner (null: of any partner), is running. */
  private async settled(partnerId: string | null): Promise<void> {
    for (;;) {
      const awaited = [...this.running].filter(
        (one) => [null, partnerId].includes(one.partnerId) || partnerId === null,
      );
      if (awaited.length === 0) return;
      await Promise.allSettled(awaited.map(({ done }) => done));
    }
  }
}

/** The call that is due, or what the operation waits for. */
function whatOf(operation: Operation): string {
  if (mustRelease(operation)) return 'release';
  if (isRefunding(operation)) return 'partner_refund';
  return operation.state.kind === 'ended' ? 'late_deposits' : operation.state.step;
}

/** Checks every price, so that a missing one raises its alarm even if no quote is requested. */
async function checkPrices(exchange: ExchangeLeg): Promise<void> {
  await Promise.all(exchange.pairs.map((pair) => exchange.unavailable(pair)));
}
