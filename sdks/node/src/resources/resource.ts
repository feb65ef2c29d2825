import { type Call, type CallOptions } from '../http/call.js';
import { type Client, type Recover } from '../http/client.js';
import { GatePromise } from '../http/gate-promise.js';
import { ListPromise, Page, type PageParts } from '../http/page.js';

/** The base of all resources: sends calls for a single object or a list. */
export class Resource {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  protected ask<T>(call: Call, options?: CallOptions, recover?: Recover<T>): GatePromise<T> {
    return new GatePromise(this.#client.send<T>(call, options, recover));
  }

  protected pages<Item>(call: Call, options: CallOptions | undefined, nextQuery: NextQuery<Item>): ListPromise<Item> {
    return new ListPromise(this.#page(call, options, nextQuery));
  }

  async #page<Item>(call: Call, options: CallOptions | undefined, nextQuery: NextQuery<Item>) {
    const { data, response, requestId } = await this.#client.send<ListAnswer<Item>>(call, options);
    const parts = { data: data.data, has_more: data.has_more ?? data.hasMore ?? false, url: data.url ?? call.path };
    const query: Cursors = call.query ?? {};
    const follow = (page: PageParts<Item>): Promise<Page<Item>> | null => {
      const next = nextQuery(page, query);
      if (next === null) return null;
      return this.#page({ ...call, query: { ...query, ...next } }, options, nextQuery).then((answer) => answer.data);
    };
    return { data: new Page(parts, follow, typeof query.ending_before === 'string'), response, requestId };
  }
}

/** Lists of the pools product use camelCase, and have no url. */
interface ListAnswer<Item> {
  readonly data: readonly Item[];
  readonly has_more?: boolean;
  readonly hasMore?: boolean;
  readonly url?: string;
}

/** The position in a list at which a page begins. */
interface Cursors {
  readonly starting_after?: unknown;
  readonly ending_before?: unknown;
}

/** The query parameters of the next page; null if there is none. */
type NextQuery<Item> = (page: PageParts<Item>, query: Cursors) => object | null;

/** Pages by the ids of the items: forwards, or backwards if the list was requested with `ending_before`. */
export function byId<Item extends { readonly id: string }>(
  { data }: PageParts<Item>,
  { ending_before: before }: Cursors,
): object {
  return typeof before === 'string' ? { ending_before: data[0]?.id } : { starting_after: data.at(-1)?.id };
}

/** For lists that the service returns in a single page. */
export const onePage = (): null => null;
