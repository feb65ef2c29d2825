/** The outcome of one item of a batch. */
export type BatchResult<Result> = PromiseSettledResult<Result>;

export interface BatcherOptions<Item, Result> {
  /** Processes a batch in one statement; returns one result per item, in order. A rejection applies to the whole batch. */
  readonly run: (batch: readonly Item[]) => Promise<readonly BatchResult<Result>[]>;
  /** The names of the resources of an item: two items that share one never run at the same time. */
  readonly contends: (item: Item) => readonly string[];
  /** Items of different kinds are never in one batch; by default all have the same kind. */
  readonly kindOf?: (item: Item) => string;
  readonly slots: number;
  readonly batchMax: number;
  /** The minimum time between two batches, unless that many items are waiting; none by default. */
  readonly gather?: { readonly ms: number; readonly count: number };
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly names: readonly string[];
  readonly kind: string;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Fewer items do not justify a statement of their own before the turn of the event loop has ended. */
const SHARE_MIN = 8;

/** The number of event loop turns that a batch may wait while each of them adds items. */
const TURNS_MAX = 4;

/** The decay of the remembered number of items per batch: the batcher soon notices that fewer arrive. */
const DECAY = 0.95;

/**
 * Group commit. A batch starts when a slot is free and it has its share of all current items, or when a turn of the event loop has added
 * none. The share is that of one slot: callers that are answered together return together, so one half of them runs while the other half is
 * being answered. Items that arrive while all slots are busy form the next batch: without load nothing waits, and under load batches grow
 * by themselves (`docs/decisions/0031-split-group-commits-over-two-slots.md`).
 */
export class Batcher<Item, Result> {
  private readonly options: BatcherOptions<Item, Result>;
  private readonly busy = new Set<string>();
  private waiting: Waiting<Item, Result>[] = [];
  private running = 0;
  /** Items of running batches. */
  private underWay = 0;
  /** The recent number of concurrent items, waiting or running. */
  private recentItems = 0;
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

  /** Starts at the end of the first turn that adds no items. */
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

  /** The maximum batch size until the number of concurrent items is known. */
  private share(): number {
    const { slots, batchMax } = this.options;
    return this.recentItems < SHARE_MIN * slots ? batchMax : Math.min(batchMax, Math.ceil(this.recentItems / slots));
  }

  private fill(): void {
    while (this.running < this.options.slots) {
      if (this.isGathering()) return;
      const batch = this.take();
      if (batch.length === 0) return;
      this.running += 1;
      this.underWay += batch.length;
      this.recentItems = Math.max(this.underWay + this.waiting.length, this.recentItems * DECAY);
      this.leftAt = performance.now();
      void this.go(batch);
    }
  }

  /** While gathering, checks again when the time has passed or another item arrives. */
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

  /**
   * Takes the first item that may run and others of its kind, in order of arrival; items that contend with a running one keep their places.
   */
  private take(): readonly Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = [];
    const skipped: Waiting<Item, Result>[] = [];
    let next = 0;
    for (; next < this.waiting.length && batch.length < this.options.batchMax; next += 1) {
      const entry = this.waiting[next];
      if (entry === undefined) break;
      const isOther = batch[0] !== undefined && batch[0].kind !== entry.kind;
      if (isOther || entry.names.some((name) => this.busy.has(name))) skipped.push(entry);
      else {
        for (const name of entry.names) this.busy.add(name);
        batch.push(entry);
      }
    }
    this.waiting = skipped.length === 0 ? this.waiting.slice(next) : [...skipped, ...this.waiting.slice(next)];
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
  if (result === undefined) reject(new Error('A batch returned fewer results than it has items.'));
  else if (result.status === 'fulfilled') resolve(result.value);
  else reject(result.reason);
}
