import type { WebhookAnswer, WebhookRequest, WebhookSender } from '@gateramp/core/ports';
import { verifyWebhook } from '@gateramp/core/runtime';

/** One webhook as received by the partner's server. */
export interface ReceivedWebhook {
  readonly id: string;
  readonly type: string;
  readonly sequence: number | null;
  readonly livemode: boolean;
  /** `data` of the envelope. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The exact text of the body. */
  readonly body: string;
  /** Whether `Gate-Signature` verifies with the endpoint's secret. */
  readonly verified: boolean;
  /** The receiver's answer. */
  readonly answer: WebhookAnswer;
}

/** A partner's webhook server that records what it receives. */
export interface TestReceiver {
  readonly received: readonly ReceivedWebhook[];
  /** Sets the answer to the next webhooks; 200 by default. */
  answerWith(answer: (webhook: WebhookRequest) => WebhookAnswer | Promise<WebhookAnswer>): void;
  clear(): void;
}

/** An answer that acknowledges a webhook. */
export const ACCEPTED: WebhookAnswer = { responseStatus: 200, responseBody: '', error: null };

/** An answer that does not acknowledge a webhook. */
export const REFUSED: WebhookAnswer = { responseStatus: 500, responseBody: '', error: null };

/** The receiver, and a sender that reaches it without a socket. */
export function testReceiver(secret: string, wall: () => number): { receiver: TestReceiver; sender: WebhookSender } {
  const received: ReceivedWebhook[] = [];
  let answer: (webhook: WebhookRequest) => WebhookAnswer | Promise<WebhookAnswer> = () => ACCEPTED;
  const sender: WebhookSender = {
    send: async (request) => {
      const given = await answer(request);
      received.push(readWebhook(request, given, secret, wall()));
      return given;
    },
    close: () => Promise.resolve(),
  };
  const receiver: TestReceiver = {
    received,
    answerWith: (next) => {
      answer = next;
    },
    clear: () => {
      received.length = 0;
    },
  };
  return { receiver, sender };
}

function readWebhook(request: WebhookRequest, answer: WebhookAnswer, secret: string, now: number): ReceivedWebhook {
  // The engine has created this envelope; tests of its exact bytes use `body`.
  const envelope = JSON.parse(request.body) as Pick<ReceivedWebhook, 'id' | 'type' | 'sequence' | 'livemode' | 'data'>;
  const verified = verifyWebhook(request.body, request.headers['gate-signature'] ?? '', secret, { now }).ok;
  return {
    id: envelope.id,
    type: envelope.type,
    sequence: envelope.sequence,
    livemode: envelope.livemode,
    data: envelope.data,
    url: request.url,
    headers: request.headers,
    body: request.body,
    verified,
    answer,
  };
}
