/** What became of one item of a batch. */
export type Folded<Result> = PromiseSettledResult<Result>;

export interface FoldOptions<Item, Result> {
  /** Does a batch in one statement; one answer an item, in their order. A rejection is everybody's. */
  readonly run: (batch: readonly Item[]) => Promise<readonly Folded<Result>[]>;
  /** Names of what an item contends for: two items that share one are never under way at once. */
  readonly contends: (item: Item) => readonly string[];
  /** Items of two kinds are never in one batch; all are of one unless told. */
  readonly kindOf?: (item: Item) => string;
  readonly slots: number;
  readonly batchMax: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly names: readonly string[];
  readonly kind: string;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit. An item goes out at once while a slot is free; whatever arrives while all are busy goes out together as soon as one is
 * free again. There is no timer: without load nothing waits, and under load the batches grow by themselves.
 */
export class Fold<Item, Result> {
  private readonly options: FoldOptions<Item, Result>;
  private readonly busy = new Set<string>();
  private waiting: Waiting<Item, Result>[] = [];
  private running = 0;
  private isScheduled = false;

  constructor(options: FoldOptions<Item, Result>) {
    this.options = options;
  }

  add(item: Item): Promise<Result> {
    const names = this.options.contends(item);
    const kind = this.options.kindOf?.(item) ?? '';
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, names, kind, resolve, reject });
      this.schedule();
    });
  }

  /** After this turn of the event loop, so that items which arrive together leave together. */
  private schedule(): void {
    if (this.isScheduled || this.running >= this.options.slots) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.fill();
    });
  }

  private fill(): void {
    while (this.running < this.options.slots) {
      const batch = this.take();
      if (batch.length === 0) return;
      this.running += 1;
      void this.go(batch);
    }
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
      this.fill();
    }
  }
}

function answer<Item, Result>({ resolve, reject }: Waiting<Item, Result>, result: Folded<Result> | undefined): void {
  if (result === undefined) reject(new Error('A batch came back shorter than it was.'));
  else if (result.status === 'fulfilled') resolve(result.value);
  else reject(result.reason);
}
