import { type Call, type CallOptions } from '../http/call.js';
import { type Client, type Recover } from '../http/client.js';
import { GatePromise } from '../http/gate-promise.js';
import { ListPromise, Page, type PageParts } from '../http/page.js';

/** What one resource needs: a way to ask for one thing, and for a list of things. */
export class Resource {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  protected ask<T>(call: Call, options?: CallOptions, recover?: Recover<T>): GatePromise<T> {
    return new GatePromise(this.#client.send<T>(call, options, recover));
  }

  protected pages<Item>(call: Call, options: CallOptions | undefined, turn: Turn<Item>): ListPromise<Item> {
    return new ListPromise(this.#page(call, options, turn));
  }

  async #page<Item>(call: Call, options: CallOptions | undefined, turn: Turn<Item>) {
    const { data, response, requestId } = await this.#client.send<ListAnswer<Item>>(call, options);
    const parts = { data: data.data, has_more: data.has_more ?? data.hasMore ?? false, url: data.url ?? call.path };
    const query: Cursors = call.query ?? {};
    const follow = (page: PageParts<Item>): Promise<Page<Item>> | null => {
      const next = turn(page, query);
      if (next === null) return null;
      return this.#page({ ...call, query: { ...query, ...next } }, options, turn).then((answer) => answer.data);
    };
    return { data: new Page(parts, follow, typeof query.ending_before === 'string'), response, requestId };
  }
}

/** Lists of the pools product say it in camelCase, and have no url. */
interface ListAnswer<Item> {
  readonly data: readonly Item[];
  readonly has_more?: boolean;
  readonly hasMore?: boolean;
  readonly url?: string;
}

/** Where in a list a page begins. */
interface Cursors {
  readonly starting_after?: unknown;
  readonly ending_before?: unknown;
}

/** What the next page is asked for with; null where there is none. */
type Turn<Item> = (page: PageParts<Item>, query: Cursors) => object | null;

/** By the ids of its items, onwards or, where the list was asked for what ends before an item, backwards. */
export function byId<Item extends { readonly id: string }>(
  { data }: PageParts<Item>,
  { ending_before: before }: Cursors,
): object {
  return typeof before === 'string' ? { ending_before: data[0]?.id } : { starting_after: data.at(-1)?.id };
}

/** A list that the service answers whole. */
export const onePage = (): null => null;
