import type { Who } from '../cast.js';
import type { Members, ProviderUpdate } from '../command.js';
import type { KnownIntent, KnownToken } from '../known.js';

/** The target of a request, without its caller and idempotency key. */
export interface Target {
  readonly who: Who;
  readonly product?: 'pools';
  readonly path: string;
  readonly method?: string;
  readonly auth?: 'secret' | 'publishable' | 'none';
  readonly token?: KnownToken;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Members | string;
}

/** Data that a client does not learn from answers, but from the provider and the wall clock. */
export interface Facts {
  readonly callbackSecret: string;
  readonly wall: number;
  operationOf(intent: KnownIntent): string;
  /** The event id of a provider's update. Honest providers use different ids for different updates. */
  eventOf(update: ProviderUpdate, operationId: string): string;
}
