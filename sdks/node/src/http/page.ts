import { GatePromise, type WithResponse } from './gate-promise.js';

/** The members of a page. */
export interface PageParts<Item> {
  readonly data: readonly Item[];
  readonly has_more: boolean;
  readonly url: string;
}

/** How to read on from a page. */
export interface PageReader<Item> {
  /** Requests the page after the given one; null if that is the last. */
  readonly next: (page: PageParts<Item>) => Promise<Page<Item>> | null;
  /** Whether the list was requested with `ending_before`. */
  readonly isForward: boolean;
  /** Set for lists in which items can appear before those that have been read. */
  readonly late: LateItems<Item> | null;
}

interface LateItems<Item> {
  /** The local time at which the page was requested. */
  readonly askedAt: number;
  /** The id of an item, and the service's time of its creation. */
  readonly keyOf: (item: Item) => { readonly id: string; readonly createdAt: number };
  /** Requests the page again, of the items created since then. */
  readonly since: (createdAt: number) => Promise<Page<Item>>;
}

/** How long after its creation an item may appear in a list: its commit takes less. */
const LATE_MS_MAX = 60_000;

/** One page of a list. `for await` continues with the pages after it. */
export class Page<Item> implements AsyncIterable<Item>, PageParts<Item> {
  readonly object = 'list';
  readonly data: readonly Item[];
  readonly has_more: boolean;
  readonly url: string;
  readonly #reader: PageReader<Item>;
  readonly #readAt = Date.now();

  constructor({ data, has_more, url }: PageParts<Item>, reader: PageReader<Item>) {
    this.data = data;
    this.has_more = has_more;
    this.url = url;
    this.#reader = reader;
  }

  /** The page after this one, or null if this is the last. */
  async nextPage(): Promise<Page<Item> | null> {
    return this.has_more && this.data.length > 0 ? this.#reader.next(this) : null;
  }

  /**
   * Iterates over the items of this page and of those after it. With `ending_before`, starts with the item nearest to the cursor: ascending
   * in time. Items that appear behind the newest one meanwhile come last; each is yielded once. To look for new items later, see
   * docs/guides/reconcile.md.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    const { isForward, late } = this.#reader;
    if (!isForward || late === null) {
      for await (const page of this.#pages()) yield* page.#inOrder();
      return;
    }
    const recent = new RecentItems(late);
    for await (const page of this.#pages()) {
      recent.add(page.#inOrder(), page.#readAt);
      yield* page.#inOrder();
    }
    if (recent.since === null) return;
    const again = await late.since(recent.since);
    for await (const page of again.#pages()) yield* page.#inOrder().filter((item) => !recent.has(item));
  }

  async *#pages(): AsyncGenerator<Page<Item>, void, undefined> {
    yield this;
    for (let page = await this.nextPage(); page !== null; page = await page.nextPage()) yield page;
  }

  #inOrder(): readonly Item[] {
    return this.#reader.isForward ? [...this.data].reverse() : this.data;
  }
}

/** The items of a walk towards newer ones that were created since a minute before it began. Later items may appear between them. */
class RecentItems<Item> {
  readonly #late: LateItems<Item>;
  readonly #createdAt = new Map<string, number>();
  #newest = -Infinity;
  /** The service's time when the walk began, at least: an item that it has created had been created when the page was read. */
  #beganAt = -Infinity;

  constructor(late: LateItems<Item>) {
    this.#late = late;
  }

  /** What was created before had appeared when the walk began. Null if nothing was found. */
  get since(): number | null {
    return this.#beganAt === -Infinity ? null : this.#beganAt - LATE_MS_MAX;
  }

  has(item: Item): boolean {
    return this.#createdAt.has(this.#late.keyOf(item).id);
  }

  add(items: readonly Item[], readAt: number): void {
    for (const item of items) {
      const { id, createdAt } = this.#late.keyOf(item);
      this.#createdAt.set(id, createdAt);
      if (createdAt > this.#newest) this.#newest = createdAt;
    }
    this.#beganAt = Math.max(this.#beganAt, this.#newest - (readAt - this.#late.askedAt));
    for (const [id, createdAt] of this.#createdAt) {
      if (createdAt >= this.#beganAt - LATE_MS_MAX) break;
      this.#createdAt.delete(id);
    }
  }
}

/** The promise of a list: await it for its first page, or iterate over all items with `for await`. */
export class ListPromise<Item> extends GatePromise<Page<Item>> implements AsyncIterable<Item> {
  constructor(answer: Promise<WithResponse<Page<Item>>>) {
    super(answer);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    yield* await this;
  }
}
