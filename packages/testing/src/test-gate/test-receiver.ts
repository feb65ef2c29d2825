import type { WebhookAnswer, WebhookRequest, WebhookSender } from '@gateramp/core/ports';
import { verifyWebhook } from '@gateramp/core/runtime';

/** One webhook as the partner's server received it. */
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
  /** What the receiver answered. */
  readonly answer: WebhookAnswer;
}

/** A partner's webhook server that is only a list. */
export interface TestReceiver {
  readonly received: readonly ReceivedWebhook[];
  /** How the next webhooks are answered; 200 by default. */
  answerWith(answer: (webhook: WebhookRequest) => WebhookAnswer | Promise<WebhookAnswer>): void;
  clear(): void;
}

/** A receiver's answer that acknowledges a webhook. */
export const ACCEPTED: WebhookAnswer = { responseStatus: 200, responseBody: '', error: null };

/** A receiver's answer that does not. */
export const REFUSED: WebhookAnswer = { responseStatus: 500, responseBody: '', error: null };

/** The receiver and the sender that reaches it, without a socket. */
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
  // The engine froze this envelope; a test that doubts it looks at `body`.
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
