import { GatePromise, type WithResponse } from './gate-promise.js';

/** What a page is made of. */
export interface PageParts<Item> {
  readonly data: readonly Item[];
  readonly has_more: boolean;
  readonly url: string;
}

/** Asks for the page behind the one it is given; null where that is the last. */
type Follow<Item> = (page: PageParts<Item>) => Promise<Page<Item>> | null;

/** One page of a list. `for await` over it goes on over the pages behind it. */
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

  /** The page behind this one, or null where this is the last. */
  async nextPage(): Promise<Page<Item> | null> {
    return this.has_more && this.data.length > 0 ? this.#follow(this) : null;
  }

  /** Every item of this page and of those behind it. With `ending_before` the nearest to it comes first: upwards in time. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    yield* this.#inOrder();
    for (let page = await this.nextPage(); page !== null; page = await page.nextPage()) yield* page.#inOrder();
  }

  #inOrder(): readonly Item[] {
    return this.#isBackwards ? [...this.data].reverse() : this.data;
  }
}

/** A list that was asked for: await it for its first page, or walk over all items with `for await`. */
export class ListPromise<Item> extends GatePromise<Page<Item>> implements AsyncIterable<Item> {
  constructor(answer: Promise<WithResponse<Page<Item>>>) {
    super(answer);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    yield* await this;
  }
}
