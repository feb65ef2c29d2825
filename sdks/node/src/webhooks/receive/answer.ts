import { type RawBody, type SignatureHeader } from '../construct-event.js';

/** The answer to a delivery; the service looks at the status alone. */
export interface WebhookResponse {
  readonly status: number;
  /** JSON. */
  readonly body: string;
}

/** Takes one delivery, whatever framework received it. */
export type ReceiveDelivery = (payload: RawBody, header: SignatureHeader) => Promise<WebhookResponse>;

export const answer = (status: number, body: object): WebhookResponse => ({ status, body: JSON.stringify(body) });

export const BODY_TOO_LARGE = answer(413, {
  error: { reason: 'body_too_large', message: 'The body exceeds the size limit of events.' },
});
