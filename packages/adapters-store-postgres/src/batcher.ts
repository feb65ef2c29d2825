/** The outcome of one item of a batch. */
export type BatchResult<Result> = PromiseSettledResult<Result>;

export interface BatcherOptions<Item, Result> {
  /** Does a batch in one statement; one answer an item, in their order. A rejection is shared by all. */
  readonly run: (batch: readonly Item[]) => Promise<readonly BatchResult<Result>[]>;
  /** Names of what an item contends for: two items that share one are never under way at once. */
  readonly contends: (item: Item) => readonly string[];
  /** Items of two kinds are never in one batch; all are of one by default. */
  readonly kindOf?: (item: Item) => string;
  readonly slots: number;
  readonly batchMax: number;
  /** Batches that follow one another leave so far apart, unless so many wait; at once by default. */
  readonly gather?: { readonly ms: number; readonly count: number };
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly names: readonly string[];
  readonly kind: string;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Fewer are not worth a statement of their own before their turn of the event loop has ended. */
const SHARE_MIN = 8;

/** So many turns of the event loop a batch may wait for more that come in each of them. */
const TURNS_MAX = 4;

/** What is left after each batch of how many there once were: fewer that come are soon known to be fewer. */
const REMEMBERED = 0.95;

/**
 * Group commit. A batch leaves when a slot is free and it has its share of all items there are, or when a turn of the
 * event loop has brought no more. The share is that of one slot: those who were answered together come again together,
 * and so one half of them is under way while the other is being answered. Whatever arrives while all slots are busy goes
 * out together: without load nothing waits, and under load the batches grow by themselves
 * (`docs/decisions/0031-split-group-commits-over-two-slots.md`).
 */
export class Batcher<Item, Result> {
  private readonly options: BatcherOptions<Item, Result>;
  private readonly busy = new Set<string>();
  private waiting: Waiting<Item, Result>[] = [];
  private running = 0;
  /** Items of the batches that are running. */
  private underWay = 0;
  /** How many were there at once lately, waiting or under way. */
  private crowd = 0;
  private isScheduled = false;
  private leftAt = -Infinity;
  private timer: NodeJS.Timeout | null = null;

  constructor(options: BatcherOptions<Item, Result>) {
    this.options = options;
  }

  add(item: Item): Promise<Result> {
    const names = this.options.contends(item);
    const kind = this.options.kindOf?.(item) ?? '';
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, names, kind, resolve, reject });
      if (this.waiting.length === this.share()) this.fill();
      else this.schedule();
    });
  }

  /** At the end of the turn that brings no more. */
  private schedule(): void {
    if (this.isScheduled || this.waiting.length === 0 || this.running >= this.options.slots) return;
    this.isScheduled = true;
    this.awaitMore(TURNS_MAX);
  }

  private awaitMore(turns: number): void {
    const before = this.waiting.length;
    setImmediate(() => {
      if (this.waiting.length > before && this.waiting.length < this.share() && turns > 1)
        return this.awaitMore(turns - 1);
      this.isScheduled = false;
      this.fill();
    });
  }

  /** A whole batch until it is known that there is a crowd. */
  private share(): number {
    const { slots, batchMax } = this.options;
    return this.crowd < SHARE_MIN * slots ? batchMax : Math.min(batchMax, Math.ceil(this.crowd / slots));
  }

  private fill(): void {
    while (this.running < this.options.slots) {
      if (this.isGathering()) return;
      const batch = this.take();
      if (batch.length === 0) return;
      this.running += 1;
      this.underWay += batch.length;
      this.crowd = Math.max(this.underWay + this.waiting.length, this.crowd * REMEMBERED);
      this.leftAt = performance.now();
      void this.go(batch);
    }
  }

  /** Then it looks again when the time has come, or one more has. */
  private isGathering(): boolean {
    const { gather } = this.options;
    if (gather === undefined || this.waiting.length === 0 || this.waiting.length >= gather.count) return false;
    const leftMs = this.leftAt + gather.ms - performance.now();
    if (leftMs <= 0) return false;
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.fill();
    }, leftMs);
    return true;
  }

  /** The first that may go and others of its kind, in the order they came; those that contend with one under way keep their places. */
  private take(): readonly Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = [];
    const kept: Waiting<Item, Result>[] = [];
    let next = 0;
    for (; next < this.waiting.length && batch.length < this.options.batchMax; next += 1) {
      const entry = this.waiting[next];
      if (entry === undefined) break;
      const isOther = batch[0] !== undefined && batch[0].kind !== entry.kind;
      if (isOther || entry.names.some((name) => this.busy.has(name))) kept.push(entry);
      else {
        for (const name of entry.names) this.busy.add(name);
        batch.push(entry);
      }
    }
    this.waiting = kept.length === 0 ? this.waiting.slice(next) : [...kept, ...this.waiting.slice(next)];
    return batch;
  }

  private async go(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.options.run(batch.map(({ item }) => item));
      for (const [nth, entry] of batch.entries()) answer(entry, results[nth]);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      for (const { names } of batch) for (const name of names) this.busy.delete(name);
      this.running -= 1;
      this.underWay -= batch.length;
      this.schedule();
    }
  }
}

function answer<Item, Result>(
  { resolve, reject }: Waiting<Item, Result>,
  result: BatchResult<Result> | undefined,
): void {
  if (result === undefined) reject(new Error('A batch came back shorter than it was.'));
  else if (result.status === 'fulfilled') resolve(result.value);
  else reject(result.reason);
}
