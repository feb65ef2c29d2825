import { type RawBody, type SignatureHeader } from '../construct-event.js';

/** What a delivery is answered with; the service minds the status alone. */
export interface Answer {
  readonly status: number;
  /** JSON. */
  readonly body: string;
}

/** Takes one delivery, whatever brought it. */
export type Take = (payload: RawBody, header: SignatureHeader) => Promise<Answer>;

export const answer = (status: number, body: object): Answer => ({ status, body: JSON.stringify(body) });
