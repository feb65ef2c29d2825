import type { Ability, Flow, Situation } from './situation.js';

/** What the shop's server sends its page. */
export interface ShopConfig {
  /** Null: the shop has no key, and sells nothing. */
  readonly publishableKey: string | null;
  readonly apiBaseUrl: string;
  readonly iframeUrl: string;
  /** What the providers of this server can do; null where that is not known. */
  readonly abilities: readonly Ability[] | null;
}

export type WayId = 'iframe' | 'kit' | 'full-page' | 'react';

export interface Choice {
  readonly flow: Flow | null;
  readonly situation: Situation;
  readonly way: WayId;
}

export interface Order extends Choice {
  readonly id: string;
  readonly session_id: string;
  readonly amount: string;
  readonly currency: string;
}

export interface PlacedOrder extends Order {
  readonly client_secret: string;
}

/** A webhook as the shop's server has received and checked it. */
export interface Webhook {
  readonly id: string | null;
  readonly type: string | null;
  readonly session_id: string | null;
  readonly tx_refid: string | null;
  readonly failure_code: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly flow: string | null;
  readonly verified: boolean;
  readonly problem: string | null;
  readonly received_at: string;
}

export const readConfig = (): Promise<ShopConfig> => ask('/config');

export const placeOrder = (choice: Choice): Promise<PlacedOrder> =>
  ask('/orders', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(choice) });

export const findOrder = (id: string): Promise<Order> => ask(`/orders/${encodeURIComponent(id)}`);

/** Rejects with an error whose message may be shown. */
async function ask<Answer>(path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(path, init).catch(() => {
    throw new Error('The shop’s server does not answer. Is it still running?');
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(messageOf(answer));
  // Our own server, which says what the types above say.
  return answer as Answer;
}

function messageOf(answer: unknown): string {
  return typeof answer === 'object' && answer !== null && 'message' in answer && typeof answer.message === 'string'
    ? answer.message
    : 'The shop’s server refused that.';
}

export type StreamState = 'open' | 'broken';

/** Everything that the server has been sent so far, then each webhook as it comes. The browser connects again by itself. */
export function hearWebhooks(on: { webhook(webhook: Webhook): void; state(state: StreamState): void }): void {
  const stream = new EventSource('/stream');
  stream.addEventListener('open', () => on.state('open'));
  stream.addEventListener('error', () => on.state('broken'));
  stream.addEventListener('webhook', ({ data }: MessageEvent<string>) => on.webhook(JSON.parse(data) as Webhook));
}
