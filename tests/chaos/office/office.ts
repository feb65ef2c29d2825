import { jsonOf, textIn, type Question } from '../lib/ask.js';
import type { Asking, Shop, TriedAnswer } from '../lib/shop.js';
import type { OfficeEntry } from './office-log.js';

/** What a partner's back office uses: both hosts, randomness, its own log, and a deadline. */
export interface Office extends Pick<Shop, 'luck' | 'deadline'> {
  readonly api: Asking;
  readonly pools: Asking;
  readonly keys: { readonly test: string; readonly live: string };
  readonly write: (entry: OfficeEntry) => void;
}

/** The share of requests that are repeated after a first response; all others are repeated anyway. */
const askedTwice = 0.1;

export const posted = (secretKey: string, key: string, body: unknown): Question => ({
  method: 'POST',
  headers: { authorization: `Bearer ${secretKey}`, 'idempotency-key': key },
  body,
});

export const read = (secretKey: string): Question => ({ headers: { authorization: `Bearer ${secretKey}` } });

/**
 * Repeats one request until it is answered; some 2xx responses are requested again and must be equal. Null at the
 * deadline.
 */
export async function once(
  office: Office,
  ask: Asking,
  what: string,
  path: string,
  question: Question,
): Promise<TriedAnswer | null> {
  const answer = await ask(what, path, question);
  if (answer === null || answer.status >= 300) return answer;
  const key = question.headers?.['idempotency-key'] ?? '';
  if (answer.tries === 1 && !office.luck.isHit(askedTwice)) return answer;
  const again = await ask(`${what}, again`, path, question);
  if (again !== null) {
    const isSame = again.status === answer.status && again.sha === answer.sha;
    office.write({ kind: 'again', what, key, status: again.status, isSame });
  }
  return answer;
}

export function wrong(office: Office, what: string, key: string, answer: TriedAnswer): void {
  const code = textIn(jsonOf(answer.text), 'code');
  office.write({ kind: 'wrong', what, at: Date.now(), key, status: answer.status, code });
}

export const codeOf = (answer: TriedAnswer): string | null => textIn(jsonOf(answer.text), 'code');
