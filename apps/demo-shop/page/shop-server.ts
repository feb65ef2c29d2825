import type { Ability, Flow, Situation } from './situation.js';

/** The configuration that the shop's server sends to the page. */
export interface ShopConfig {
  /** Null if the shop has no key; it then sells nothing. */
  readonly publishableKey: string | null;
  readonly apiBaseUrl: string;
  readonly iframeUrl: string;
  /** The abilities of the server's providers; null if unknown. */
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

/** A webhook as received and verified by the shop's server. */
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

export const readConfig = (): Promise<ShopConfig> => request('/config');

export const placeOrder = (choice: Choice): Promise<PlacedOrder> =>
  request('/orders', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(choice) });

export const findOrder = (id: string): Promise<Order> => request(`/orders/${encodeURIComponent(id)}`);

/** Sends a request to the shop's server. Errors have messages for the buyer. */
async function request<Answer>(path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(path, init).catch(() => {
    throw new Error('The shop’s server does not answer. Is it still running?');
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(messageOf(answer));
  // The shop's own server answers with the types above.
  return answer as Answer;
}

function messageOf(answer: unknown): string {
  return typeof answer === 'object' && answer !== null && 'message' in answer && typeof answer.message === 'string'
    ? answer.message
    : 'The shop’s server refused the request.';
}

export type StreamState = 'open' | 'broken';

/** Receives all webhooks so far, then each new one. The browser reconnects by itself. */
export function subscribeToWebhooks(on: { webhook(webhook: Webhook): void; state(state: StreamState): void }): void {
  const stream = new EventSource('/stream');
  stream.addEventListener('open', () => on.state('open'));
  stream.addEventListener('error', () => on.state('broken'));
  stream.addEventListener('webhook', ({ data }: MessageEvent<string>) => on.webhook(JSON.parse(data) as Webhook));
}
