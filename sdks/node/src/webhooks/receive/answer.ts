import { type RawBody, type SignatureHeader } from '../construct-event.js';

/** The response to a delivery; the service reads only the status. */
export interface WebhookResponse {
  readonly status: number;
  /** JSON. */
  readonly body: string;
}

/** Receives one delivery, independent of the framework. */
export type ReceiveDelivery = (
  payload: RawBody,
  header: SignatureHeader,
  traceparent?: SignatureHeader,
  tracestate?: SignatureHeader,
) => Promise<WebhookResponse>;

export const answer = (status: number, body: object): WebhookResponse => ({ status, body: JSON.stringify(body) });

export const BODY_TOO_LARGE = answer(413, {
  error: { reason: 'body_too_large', message: 'The body exceeds the size limit of events.' },
});
