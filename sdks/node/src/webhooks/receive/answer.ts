import { type RawBody, type SignatureHeader } from '../construct-event.js';

/** The answer to a delivery; the service looks at the status alone. */
export interface Answer {
  readonly status: number;
  /** JSON. */
  readonly body: string;
}

/** Takes one delivery, whatever framework received it. */
export type Take = (payload: RawBody, header: SignatureHeader) => Promise<Answer>;

export const answer = (status: number, body: object): Answer => ({ status, body: JSON.stringify(body) });

export const BODY_TOO_LARGE = answer(413, {
  error: { reason: 'body_too_large', message: 'The body exceeds the size limit of events.' },
});
