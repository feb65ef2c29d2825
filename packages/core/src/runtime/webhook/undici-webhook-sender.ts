import { Agent } from 'undici';
import { DEFAULT_POLICY, type Policy } from '../../domain/policy.js';
import type { WebhookAnswer, WebhookSender } from '../../ports/edge.js';
import { guardedConnector, type DestinationRules } from './guarded-connector.js';
import { Posting, refusalOf, type AnswerLimits } from './posting.js';
import { vettedUrl } from './vetted-url.js';

export interface UndiciWebhookSenderOptions extends DestinationRules {
  readonly policy?: AnswerLimits & Pick<Policy, 'attemptsInFlightMax'>;
}

/** Posts webhooks with keep-alive, never to a private address (unless allowed), never after a redirect, never beyond its time. */
export function undiciWebhookSender({
  policy = DEFAULT_POLICY,
  ...rules
}: UndiciWebhookSenderOptions): WebhookSender {
  const agent = new Agent({
    connect: guardedConnector(rules),
    // As many as there are attempts: partners may share an origin, and none may wait for another's slow answer.
    connections: policy.attemptsInFlightMax,
    pipelining: 1,
    // `Posting` covers these; undici's restart at every chunk.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  return {
    send: ({ url: text, headers, body, timeoutMs }) =>
      new Promise<WebhookAnswer>((resolve) => {
        try {
          const url = vettedUrl(text, rules.allowPrivate);
          const path = url.pathname + url.search;
          agent.dispatch({ origin: url.origin, path, method: 'POST', headers, body }, new Posting(policy, timeoutMs, resolve));
        } catch (error) {
          resolve(refusalOf(error));
        }
      }),
    close: () => agent.destroy(),
  };
}
