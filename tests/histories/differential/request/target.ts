import type { Who } from '../cast.js';
import type { Members, ProviderUpdate } from '../command.js';
import type { KnownIntent, KnownToken } from '../known.js';

/** What a command asks for, before it is said who asks and under which key. */
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

/** What a client does not learn from answers, but from the provider and the clock on the wall. */
export interface Facts {
  readonly callbackSecret: string;
  readonly wall: number;
  operationOf(intent: KnownIntent): string;
  /** What the provider calls its update. Honest ones call different updates by different names. */
  eventOf(update: ProviderUpdate, operationId: string): string;
}
