import { APIConnectionError, APIError, RateLimitError } from '../errors/classes.js';
import { type GateError } from '../errors/gate-error.js';
import { type ListEventsQuery } from '../generated/queries.js';
import { path, type CallOptions } from '../http/call.js';
import { type GatePromise } from '../http/gate-promise.js';
import { type ListPromise } from '../http/page.js';
import { sleep } from '../http/sleep.js';
import { type WebhookEvent } from '../types/webhook-event.js';
import { byPlace, Resource } from './resource.js';

/** An event as it is delivered, retrieved from the API. */
export type GateEvent = WebhookEvent & { readonly object: 'event' };

/** Which events to follow, and from where. */
export interface FollowOptions {
  /** The id of the last event that you handled: following begins after it. Null: at the first event. Default: with the next new event. */
  readonly after?: string | null | undefined;
  readonly type?: ListEventsQuery['type'];
  /** The pause after a read that finds no more, 2,000 ms by default. One reader makes 30 requests a minute, of 60 that the list allows. */
  readonly intervalMs?: number | undefined;
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
  /** Called with an error that may pass (no connection, 429, 5xx), and with null when a read has been answered again. */
  readonly onAway?: ((error: GateError | null) => void) | undefined;
}

/** All events, delivered or not. */
export class Events extends Resource {
  retrieve(id: string, options?: CallOptions): GatePromise<GateEvent> {
    return this.ask({ method: 'GET', path: path`/v1/events/${id}` }, options);
  }

  /** Newest first; iterating with `ending_before` ascends in time, from the event after that one. */
  list(query: ListEventsQuery = {}, options?: CallOptions): ListPromise<GateEvent> {
    return this.pages<GateEvent>({ method: 'GET', path: '/v1/events', query }, options, byPlace);
  }

  /**
   * Yields every event once, in order of the list, and waits for new ones until the signal aborts. Store the id of each event when you have
   * handled it, and pass it as `after` to continue: nothing is missed. Errors that may pass are waited for; all others are thrown, such as
   * the `NotFoundError` of an unknown `after`. On tables distributed over Citus, an event that is committed late can be missed.
   */
  async *follow(options: FollowOptions = {}): AsyncGenerator<GateEvent, void, undefined> {
    const { type, intervalMs = 2_000, signal, onAway } = options;
    let after = options.after;
    let isAway = false;
    while (!isAborted(signal)) {
      let pauseMs = intervalMs;
      try {
        if (after === undefined) after = await this.#newest(signal);
        for await (const event of this.#after(after, type, signal)) {
          if (isAborted(signal)) return;
          if (isAway) onAway?.(null);
          isAway = false;
          yield event;
          after = event.id;
        }
        if (isAway) onAway?.(null);
        isAway = false;
      } catch (error) {
        if (isAborted(signal)) return;
        if (!mayPass(error)) {
          if (isAway) onAway?.(null);
          throw error;
        }
        if (!isAway) onAway?.(error);
        isAway = true;
        if (error instanceof RateLimitError) pauseMs = Math.max(intervalMs, (error.retryAfterSeconds ?? 0) * 1000);
      }
      await sleep(pauseMs, signal).catch(() => undefined);
    }
  }

  async #newest(signal: AbortSignal | undefined): Promise<string | null> {
    const { data } = await this.list({ limit: 1 }, { signal });
    return data[0]?.id ?? null;
  }

  /** The events after one, ascending; all of them after null. */
  async *#after(
    id: string | null,
    type: FollowOptions['type'],
    signal: AbortSignal | undefined,
  ): AsyncGenerator<GateEvent> {
    const query = { limit: 100, ...(type === undefined ? {} : { type }) };
    let last = id;
    if (last === null)
      for (const event of await this.#oldest(query, signal)) {
        yield event;
        last = event.id;
      }
    if (last !== null) yield* this.list({ ...query, ending_before: last }, { signal });
  }

  /** The first events of the list, ascending. Halves the time before a page until it is the last: few reads, however long the list is. */
  async #oldest(query: ListEventsQuery, signal: AbortSignal | undefined): Promise<readonly GateEvent[]> {
    let page = await this.list(query, { signal });
    let [from, until] = [0, page.data.at(-1)?.created_at ?? 0];
    while (page.has_more && until - from > 1) {
      const middle = Math.floor((from + until) / 2);
      const before = await this.list({ ...query, created_before: isoTime(middle) }, { signal });
      if (before.data.length === 0) from = middle;
      else [page, until] = [before, middle];
    }
    for (let next = await page.nextPage(); next !== null; next = await page.nextPage()) page = next;
    return [...page.data].reverse();
  }
}

const isoTime = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** A function, since its result changes while the iteration waits. */
const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

const mayPass = (error: unknown): error is GateError =>
  error instanceof APIConnectionError || error instanceof RateLimitError || error instanceof APIError;
