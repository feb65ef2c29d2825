import { ask, jsonOf, pause, textIn, type WholeAnswer } from './ask.js';
import type { Asking, Shop } from './shop.js';

const timeoutMs = 60_000;
const giveUpAfterMs = 180_000;
/** Before the second attempt; doubled before each further one, up to eight times. */
const waitMs = { least: 40, most: 400 };
const waitTimesMax = 8;

/** Responses after which a client repeats the request with the same key; any other is final. */
const isAskedAgain = (answer: WholeAnswer): boolean =>
  answer.status >= 500 || (answer.status === 409 && jsonOf(answer.text)?.code === 'operation_in_progress');

/**
 * Repeats a request at the servers in turn until there is a final response. Refused and unanswered attempts are logged. Resolves with the
 * response and its attempts, or null at the deadline.
 */
export function insistently({
  origins,
  checkouts = [],
  log,
  luck,
  deadline,
}: Pick<Shop, 'log' | 'luck' | 'deadline'> & {
  readonly origins: readonly string[];
  /** The origin of the checkout of each server. */
  readonly checkouts?: readonly string[];
}): Asking {
  let turn = 0;
  return async (what, path, { isOfCheckout = false, ...asked }) => {
    const began = performance.now();
    for (let tries = 1; ; tries += 1) {
      turn += 1;
      const at = Date.now();
      const server = turn % origins.length;
      const origin = isOfCheckout ? { origin: checkouts[server] ?? '' } : {};
      const request = { ...asked, headers: { ...asked.headers, ...origin } };
      const answer = await ask(`${origins[server] ?? ''}${path}`, { ...request, timeoutMs });
      if (answer.status !== null && !isAskedAgain(answer))
        return { ...answer, tries, allMs: Math.round(performance.now() - began) };
      log.write(
        answer.status === null
          ? { kind: 'unanswered', what, at, ms: answer.ms, error: answer.error }
          : refused(what, at, answer),
      );
      if (performance.now() > deadline.at) return null;
      if (performance.now() - began > giveUpAfterMs) {
        log.write({ kind: 'gave_up', what, at, key: asked.headers?.['idempotency-key'] ?? null });
        return null;
      }
      await pause(Math.min(2 ** (tries - 1), waitTimesMax) * luck.between(waitMs.least, waitMs.most));
    }
  };
}

function refused(what: string, at: number, { status, headers, text, ms }: WholeAnswer): object {
  const body = jsonOf(text);
  const isEnvelope =
    body !== null &&
    typeof body.type === 'string' &&
    typeof body.code === 'string' &&
    body.statusCode === status &&
    body.request_id === headers['x-request-id'];
  return { kind: 'refused', what, at, ms, status, code: textIn(body, 'code'), isEnvelope };
}
