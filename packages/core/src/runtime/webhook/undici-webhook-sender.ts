import { Agent } from 'undici';
import { DEFAULT_POLICY, type Policy } from '../../domain/policy.js';
import type { WebhookAnswer, WebhookRequest, WebhookSender } from '../../ports/edge.js';
import { deliveryErrorOf } from './delivery-fault.js';
import { guardedConnector, type DestinationRules } from './guarded-connector.js';
import { readAnswer, type AnswerLimits } from './read-answer.js';
import { timeLimit } from './time-limit.js';
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
    // `TimeLimit` covers these; undici's restart at every chunk.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  async function post(request: WebhookRequest): Promise<WebhookAnswer> {
    const url = vettedUrl(request.url, rules.allowPrivate);
    const limit = timeLimit(request.timeoutMs);
    try {
      const { headers, body } = request;
      const path = url.pathname + url.search;
      const sent = agent.request({ origin: url.origin, path, method: 'POST', headers, body, signal: limit.signal });
      // An attempt that cannot be stopped while it connects is answered for now; its own end is then nobody's error.
      const answer = await limit.race(sent);
      return await readAnswer(answer.statusCode, answer.body, policy);
    } finally {
      limit.clear();
    }
  }

  return {
    send: (request) =>
      post(request).catch((error: unknown) => ({
        responseStatus: null,
        responseBody: null,
        error: deliveryErrorOf(error),
      })),
    close: () => agent.destroy(),
  };
}
