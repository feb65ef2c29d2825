import { webhooks, WebhookSignatureError } from '@gateramp/sdk-node';
import { readEvent, type EventFields } from './read-event.js';

/** One webhook as the demo shop shows it. */
export interface ReceivedWebhook extends EventFields {
  /** Whether the signature fits the bytes that arrived. */
  readonly verified: boolean;
  /** Why not, as the Node SDK names it; null when it does. */
  readonly problem: string | null;
  readonly received_at: string;
  /** How often it came: deliveries are at least once. */
  readonly times: number;
}

const KEPT_MAX = 200;

/** What a partner's receiver has to do: verify the raw bytes first, then do each event once, by its id. */
export class ReceivedWebhooks {
  private kept: readonly ReceivedWebhook[] = [];

  constructor(private readonly secrets: readonly string[]) {}

  /** Newest first. */
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

/** Null for a webhook that is genuine and fresh. */
function problemWith(body: Uint8Array, header: string | null, secrets: readonly string[]): string | null {
  try {
    // <shown>
    // The raw body; throws unless it is ours.
    webhooks.constructEvent(body, header, secrets);
    // </shown>
    return null;
  } catch (error) {
    if (error instanceof WebhookSignatureError) return error.reason;
    throw error;
  }
}
