import type { WebhookAnswer } from '@gateramp/core/ports';

/** How the partners' webhook receivers answer. */
export type Answering = 'accepts' | 'refuses' | 'hangs' | 'redirects' | 'refuses every other';

const ANSWERS = {
  accepts: { responseStatus: 200, responseBody: 'ok', error: null },
  refuses: { responseStatus: 500, responseBody: 'no \u0000 \ud800 ☃', error: null },
  hangs: { responseStatus: null, responseBody: null, error: 'timeout' },
  redirects: { responseStatus: 302, responseBody: '', error: 'redirect_not_followed' },
} as const satisfies Record<string, WebhookAnswer>;

/** The answers of a receiver, one after another. */
export function answersOf(answering: Answering): () => WebhookAnswer {
  if (answering !== 'refuses every other') return () => ANSWERS[answering];
  let asked = 0;
  return () => ((asked += 1) % 2 === 0 ? ANSWERS.accepts : ANSWERS.refuses);
}
