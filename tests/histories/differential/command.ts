import type { Mode } from '@gateramp/core';
import type { Flow } from '@gateramp/core/domain';
import type { Scenario } from '@gateramp/extensions/sandbox';
import type { Answering } from './answering.js';

/** A sequence of commands for a new system, with its settings. */
export interface History {
  /** Whether rate limits apply. */
  readonly isLimited: boolean;
  /** The number of sessions that the first partner may complete per month. */
  readonly quota: number | null;
  readonly commands: readonly Command[];
}

/** One step of a history. Numbers choose among the resources known by then, so that a history stays valid when steps are removed. */
export type Command = Asking | Around;

/** A request, with its faults. */
export interface Asking {
  readonly kind: 'ask';
  readonly ask: Ask;
  /** The owner, for requests whose target does not determine it. */
  readonly by: 0 | 1 | 2 | 3;
  readonly caller: Caller;
  readonly key: KeyChoice;
  readonly twist: Twist | null;
}

/** An event other than a request. */
export type Around =
  | { readonly kind: 'pass'; readonly ms: number }
  /** Advances the clock to the expiry of a known resource, or one millisecond before or after it. */
  | { readonly kind: 'passTo'; readonly end: number; readonly offset: -1 | 0 | 1 }
  | { readonly kind: 'restart' }
  | { readonly kind: 'receiver'; readonly answering: Answering }
  | { readonly kind: 'endpoint'; readonly partner: 0 | 1; readonly mode: Mode; readonly isSet: boolean }
  | { readonly kind: 'revoke'; readonly partner: 0 | 1; readonly mode: Mode };

export type Ask =
  | { readonly to: 'create'; readonly body: Members }
  | { readonly to: 'session'; readonly session: number }
  | { readonly to: 'sessions' | 'transactions' | 'events'; readonly query: Query }
  | { readonly to: 'event'; readonly event: number }
  | { readonly to: 'cancel'; readonly session: number }
  | { readonly to: 'timeline'; readonly session: number }
  | {
      readonly to: 'bootstrap';
      readonly session: number | null;
      readonly secret: 'right' | 'wrong' | 'misnamed';
      readonly origin: string | null;
    }
  | { readonly to: 'embedSession'; readonly token: number }
  | { readonly to: 'cancelEmbedSession'; readonly token: number }
  | { readonly to: 'quotes'; readonly token: number; readonly attempt: Attempt }
  | { readonly to: 'begin'; readonly token: number; readonly attempt: Attempt }
  | { readonly to: 'intent'; readonly intent: number }
  | { readonly to: 'confirm'; readonly intent: number; readonly answer: Members | 'what it asks for' }
  | { readonly to: 'document'; readonly intent: number; readonly side: string }
  | { readonly to: 'cancelIntent'; readonly intent: number }
  | { readonly to: 'savedMethods'; readonly token: number }
  | { readonly to: 'removeMethod'; readonly method: number }
  | { readonly to: 'transaction'; readonly intent: number }
  | { readonly to: 'callback'; readonly intent: number; readonly update: ProviderUpdate }
  | { readonly to: 'preview' | 'fixQuote'; readonly body: Members }
  | { readonly to: 'fixedQuote'; readonly quote: number }
  /** Executes one of the quotes of its side; `body` overrides the required members. */
  | { readonly to: 'takeUp'; readonly rail: Rail; readonly quote: number; readonly body: Members }
  | { readonly to: 'rails'; readonly rail: Rail; readonly query: Query }
  | { readonly to: 'rail'; readonly payment: number }
  | { readonly to: 'cancelRail'; readonly rail: Rail; readonly payment: number }
  | { readonly to: 'simulateRail'; readonly payment: number; readonly scenario: string }
  /** `isKept`: with the ETag of the previous answer. */
  | { readonly to: 'capabilities'; readonly list: string; readonly isKept: boolean }
  | { readonly to: 'branding' | 'clock' | 'health' }
  | { readonly to: 'rebrand'; readonly body: Members }
  | { readonly to: 'deliveries'; readonly query: Query }
  | { readonly to: 'delivery' | 'replay'; readonly delivery: number }
  | { readonly to: 'replayAll' | 'rotate'; readonly body: Members }
  | { readonly to: 'testWebhook' | 'endpoint' }
  | { readonly to: 'pools' }
  | { readonly to: 'quotePool'; readonly pool: number; readonly body: Members }
  /** `body` overrides the quote and its address. */
  | { readonly to: 'transact'; readonly quote: number; readonly body: Members }
  | { readonly to: 'balance'; readonly pool: number }
  | { readonly to: 'trades'; readonly query: Query }
  | { readonly to: 'advance'; readonly seconds: unknown }
  | { readonly to: 'simulate'; readonly session: number; readonly scenario: Scenario }
  | { readonly to: 'preflight' | 'elsewhere'; readonly method: string; readonly path: string }
  /** Repeats an earlier request byte for byte. */
  | { readonly to: 'repeat'; readonly nth: number };

export type Rail = 'pay_in' | 'pay_out';

export type Members = Readonly<Record<string, unknown>>;

/** The credential of a request, relative to the owner of its target. */
export type Caller =
  | 'owner'
  | 'rival'
  | 'other host'
  | 'other type'
  | 'unknown'
  | 'revoked'
  | 'expired'
  | 'malformed'
  | 'none';

export type KeyChoice =
  | { readonly kind: 'fresh' }
  | { readonly kind: 'none' }
  /** One of a few keys, so that requests reuse them. */
  | { readonly kind: 'shared'; readonly nth: number }
  | { readonly kind: 'bad'; readonly text: string };

export interface Query {
  readonly filters: Members;
  readonly cursor: {
    readonly name: 'starting_after' | 'ending_before' | 'cursor';
    readonly of: 'own' | 'any' | 'nobody';
    readonly nth: number;
  } | null;
}

/** An attempt with the terms of the token's session; `changes` override its members. */
export interface Attempt {
  readonly flow: Flow;
  readonly card: string;
  /** Whether to save the card, or the index of the saved method to use instead. */
  readonly saving: boolean | number;
  readonly quote: number | null;
  readonly changes: Members;
}

export interface ProviderUpdate {
  readonly event: number;
  readonly outcome: string;
  readonly signed: 'rightly' | 'by another' | 'long ago' | 'not at all';
}

/** A fault that a network or a hostile client adds to a request. */
export type Twist =
  | { readonly kind: 'splice'; readonly at: number; readonly length: number; readonly text: string }
  | { readonly kind: 'member'; readonly name: string; readonly json: string }
  | { readonly kind: 'bytes'; readonly hex: string }
  | { readonly kind: 'blanks'; readonly size: number }
  | { readonly kind: 'header'; readonly name: string; readonly value: string }
  | { readonly kind: 'query'; readonly text: string }
  | { readonly kind: 'method'; readonly method: string }
  | { readonly kind: 'suffix'; readonly text: string };
