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

  protected pages<Item>(call: Call, options: CallOptions | undefined, paging: Paging<Item>): ListPromise<Item> {
    return new ListPromise(this.#page(call, options, paging));
  }

  async #page<Item>(call: Call, options: CallOptions | undefined, paging: Paging<Item>) {
    const askedAt = Date.now();
    const { data, response, requestId } = await this.#client.send<ListAnswer<Item>>(call, options);
    const parts = { data: data.data, has_more: data.has_more ?? data.hasMore ?? false, url: data.url ?? call.path };
    const query: ListQuery = call.query ?? {};
    const read = async (changed: object): Promise<Page<Item>> =>
      (await this.#page({ ...call, query: { ...query, ...changed } }, options, paging)).data;
    const { nextQuery, keyOf } = paging;
    const next = (page: PageParts<Item>): Promise<Page<Item>> | null => {
      const changed = nextQuery(page, query);
      return changed === null ? null : read(changed);
    };
    const since = (createdAt: number): Promise<Page<Item>> =>
      read(timeOf(query.created_after) > createdAt ? {} : { created_after: new Date(createdAt) });
    const late = keyOf === undefined ? null : { askedAt, keyOf, since };
    return { data: new Page(parts, { next, isForward: isForward(query), late }), response, requestId };
  }
}

/** Lists of the pools product use camelCase, and have no url. */
interface ListAnswer<Item> {
  readonly data: readonly Item[];
  readonly has_more?: boolean;
  readonly hasMore?: boolean;
  readonly url?: string;
}

/** The parameters of a list that decide where a page begins. */
interface ListQuery {
  readonly ending_before?: string;
  readonly created_after?: string | Date;
}

const timeOf = (time: string | Date = ''): number => new Date(time).getTime();

const isForward = ({ ending_before: before }: ListQuery): boolean => typeof before === 'string';

/** How the items of a list are found. */
interface Paging<Item> {
  /** The query parameters of the next page; null if there is none. */
  readonly nextQuery: (page: PageParts<Item>, query: ListQuery) => object | null;
  /** Set if the order is that of ids which are made before the commit, so that items can appear before those that have been read. */
  readonly keyOf?: (item: Item) => { readonly id: string; readonly createdAt: number };
}

/** Pages by the ids of items that keep their place: forwards, or backwards if the list was requested with `ending_before`. */
export const byPlace: Paging<{ readonly id: string }> = {
  nextQuery: ({ data }, query) =>
    isForward(query) ? { ending_before: data[0]?.id } : { starting_after: data.at(-1)?.id },
};

/** The same for items in the order of their ids. */
export const byId: Paging<{ readonly id: string; readonly created_at: string }> = {
  ...byPlace,
  keyOf: ({ id, created_at: createdAt }) => ({ id, createdAt: Date.parse(createdAt) }),
};

/** For lists that the service returns in a single page. */
export const onePage: Paging<unknown> = { nextQuery: () => null };
