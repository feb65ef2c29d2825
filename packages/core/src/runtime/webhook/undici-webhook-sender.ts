import { Agent } from 'undici';
import { DEFAULT_POLICY, type Policy } from '../../domain/policy.js';
import type { WebhookAnswer, WebhookRequest, WebhookSender } from '../../ports/edge.js';
import { guardedConnector } from './guarded-connector.js';
import { NameLookups, type LookupLimits } from './name-lookups.js';
import { Posting, refusalOf, type AnswerLimits } from './posting.js';
import { systemResolve, type ResolveHost, type ResolverOptions } from './resolve-host.js';
import { vettedTargets } from './vetted-url.js';

/** How far requests may go, and how many connections they may hold. */
export interface UndiciWebhookSenderOptions {
  /** Permits loopback and private targets: for development and in-cluster receivers. */
  readonly allowPrivate: boolean;
  /** Whom names are asked of; the system's hosts file and name servers when left out. */
  readonly resolver?: ResolverOptions;
  /** Finds addresses another way altogether. */
  readonly resolve?: ResolveHost;
  readonly policy?: AnswerLimits & LookupLimits & Pick<Policy, 'attemptsInFlightMax'>;
}

/** Posts webhooks with keep-alive, never to a private address (unless allowed), never after a redirect, never beyond its time. */
export function undiciWebhookSender({
  allowPrivate,
  resolver = {},
  resolve: resolveHost = systemResolve(resolver),
  policy = DEFAULT_POLICY,
}: UndiciWebhookSenderOptions): WebhookSender {
  const lookups = new NameLookups(resolveHost, policy);
  const agent = new Agent({
    connect: guardedConnector({ allowPrivate, resolve: (hostname) => lookups.resolve(hostname) }),
    // As many as there are attempts: partners may share an origin, and none may wait for another's slow answer.
    connections: policy.attemptsInFlightMax,
    pipelining: 1,
    // `Posting` covers these; undici's restart at every chunk.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  const targets = vettedTargets(allowPrivate);

  function post({ url, headers, body, timeoutMs, partnerId }: WebhookRequest): Promise<WebhookAnswer> {
    return new Promise((resolve) => {
      const { origin, path, hostname } = targets(url);
      const posting = new Posting(policy, timeoutMs, lookups.wish(hostname, partnerId), resolve);
      try {
        agent.dispatch({ origin, path, method: 'POST', headers, body }, posting);
      } catch (error) {
        posting.onError(error);
      }
    });
  }

  return {
    send: (request) => post(request).catch(refusalOf),
    close: () => agent.destroy(),
  };
}
