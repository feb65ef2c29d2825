import { webhooks, WebhookSignatureError } from '@gateramp/sdk-node';
import { readEvent, type EventFields } from './read-event.js';

/** A webhook as the demo shop shows it. */
export interface ReceivedWebhook extends EventFields {
  /** Whether the signature matches the received bytes. */
  readonly verified: boolean;
  /** The reason given by the Node SDK if it does not match; null if it does. */
  readonly problem: string | null;
  readonly received_at: string;
  /** The number of deliveries, since webhooks are delivered at least once. */
  readonly times: number;
}

const KEPT_MAX = 200;

/** The duties of a partner's receiver: verify the raw bytes first, then process each event once, by its id. */
export class ReceivedWebhooks {
  private kept: readonly ReceivedWebhook[] = [];

  constructor(private readonly secrets: readonly string[]) {}

  /** The kept webhooks, newest first. */
  list(): readonly ReceivedWebhook[] {
    return this.kept;
  }

  receive(rawBody: Uint8Array, signature: string | null): ReceivedWebhook {
    const problem = problemWith(rawBody, signature, this.secrets);
    const fields = readEvent(rawBody);
    const isVerified = problem === null;
    const known =
      isVerified && fields.id !== null ? this.kept.find((one) => one.verified && one.id === fields.id) : undefined;
    const webhook: ReceivedWebhook =
      known === undefined
        ? { ...fields, verified: isVerified, problem, received_at: new Date().toISOString(), times: 1 }
        : { ...known, times: known.times + 1 };
    this.kept =
      known === undefined
        ? [webhook, ...this.kept].slice(0, KEPT_MAX)
        : this.kept.map((one) => (one === known ? webhook : one));
    return webhook;
  }
}

/** The verification error; null for a webhook with a valid and recent signature. */
function problemWith(body: Uint8Array, header: string | null, secrets: readonly string[]): string | null {
  try {
    // <shown>
    // Pass the raw body. Throws if the signature is invalid.
    webhooks.constructEvent(body, header, secrets);
    // </shown>
    return null;
  } catch (error) {
    if (error instanceof WebhookSignatureError) return error.reason;
    throw error;
  }
}
