import { GatePromise, type WithResponse } from './gate-promise.js';

/** The members of a page. */
export interface PageParts<Item> {
  readonly data: readonly Item[];
  readonly has_more: boolean;
  readonly url: string;
}

/** Requests the page after the given one; null if that is the last. */
type Follow<Item> = (page: PageParts<Item>) => Promise<Page<Item>> | null;

/** One page of a list. `for await` continues with the pages after it. */
export class Page<Item> implements AsyncIterable<Item>, PageParts<Item> {
  readonly object = 'list';
  readonly data: readonly Item[];
  readonly has_more: boolean;
  readonly url: string;
  readonly #follow: Follow<Item>;
  readonly #isBackwards: boolean;

  constructor({ data, has_more, url }: PageParts<Item>, follow: Follow<Item>, isBackwards = false) {
    this.data = data;
    this.has_more = has_more;
    this.url = url;
    this.#follow = follow;
    this.#isBackwards = isBackwards;
  }

  /** The page after this one, or null if this is the last. */
  async nextPage(): Promise<Page<Item> | null> {
    return this.has_more && this.data.length > 0 ? this.#follow(this) : null;
  }

  /**
   * Iterates over the items of this page and of those after it. With `ending_before`, starts with the item nearest to the cursor: ascending
   * in time. Items of lists other than events may still be added before the cursor. To find new ones, list with `created_after` of a minute
   * before the newest known one.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    yield* this.#inOrder();
    for (let page = await this.nextPage(); page !== null; page = await page.nextPage()) yield* page.#inOrder();
  }

  #inOrder(): readonly Item[] {
    return this.#isBackwards ? [...this.data].reverse() : this.data;
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
