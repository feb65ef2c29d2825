import { verifyWebhook } from '@gateramp/core/runtime';

/** One webhook as the demo shop shows it. */
export interface ReceivedWebhook {
  readonly id: string | null;
  readonly type: string | null;
  readonly sequence: number | null;
  readonly session_id: string | null;
  /** Whether the signature fits the bytes that arrived. */
  readonly verified: boolean;
  /** Why not; null when it does. */
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
    const verdict = verifyWebhook(rawBody, signature, this.secrets);
    const event = readEvent(rawBody);
    const known =
      verdict.ok && event.id !== null ? this.kept.find((one) => one.verified && one.id === event.id) : undefined;
    const webhook: ReceivedWebhook =
      known === undefined
        ? {
            ...event,
            verified: verdict.ok,
            problem: verdict.ok ? null : verdict.reason,
            received_at: new Date().toISOString(),
            times: 1,
          }
        : { ...known, times: known.times + 1 };
    this.kept =
      known === undefined
        ? [webhook, ...this.kept].slice(0, KEPT_MAX)
        : this.kept.map((one) => (one === known ? webhook : one));
    return webhook;
  }
}

type EventFields = Pick<ReceivedWebhook, 'id' | 'type' | 'sequence' | 'session_id'>;

/** Read for showing, whoever sent it: what has not the shape of our envelope is null. */
function readEvent(rawBody: Uint8Array): EventFields {
  let event: unknown;
  try {
    event = JSON.parse(new TextDecoder().decode(rawBody));
  } catch {
    event = null;
  }
  const data = member(event, 'data');
  const sequence = member(event, 'sequence');
  const sessionId =
    member(data, 'object') === 'gate_session' ? (member(data, 'id') ?? null) : (member(data, 'session_id') ?? null);
  return {
    id: shortText(member(event, 'id')),
    type: shortText(member(event, 'type')),
    sequence: typeof sequence === 'number' ? sequence : null,
    session_id: shortText(sessionId),
  };
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  // Any object may be read by name; what comes out is checked by whoever asked.
  return (value as Readonly<Record<string, unknown>>)[name];
}

function shortText(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, 100) : null;
}
