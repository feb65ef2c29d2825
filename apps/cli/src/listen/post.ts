import { webhooks } from '@gateramp/sdk-node';

/** The result of a delivery: a status, or the reason why there is none. */
export interface Posted {
  readonly status: number | null;
  readonly error: string | null;
  /** The beginning of a response that is not an acknowledgement: most receivers describe the problem there. */
  readonly answer: string | null;
  readonly durationMs: number;
}

const TIMEOUT_MS = 10_000;
const ANSWER_CHARACTERS_MAX = 300;

interface Delivery {
  readonly url: string;
  readonly body: string | Uint8Array;
  readonly secret: string | readonly string[];
  /** Unix seconds. Default: now. */
  readonly timestamp?: number;
  readonly eventId?: string | null;
  readonly eventType?: string | null;
}

/** The headers that the service sends with this body, signed with the current time. */
export function headersOf({
  body,
  secret,
  timestamp,
  eventId = null,
  eventType = null,
}: Delivery): Record<string, string> {
  const t = timestamp ?? Math.floor(Date.now() / 1000);
  return {
    'content-type': 'application/json',
    'user-agent': 'svc-webhooks/1.0',
    'gate-signature': webhooks.generateTestHeader({ payload: body, secret, timestamp: t }),
    'x-svc-timestamp': String(t),
    ...(eventId === null ? {} : { 'x-svc-event-id': eventId }),
    ...(eventType === null ? {} : { 'x-svc-event-type': eventType }),
  };
}

/** Posts like the service: ten seconds, no redirects, and any 2xx acknowledges. */
export async function post(delivery: Delivery): Promise<Posted> {
  const began = performance.now();
  const result = (status: number | null, error: string | null, text = ''): Posted => ({
    status,
    error,
    answer: status === null || isSuccess(status) ? null : excerptOf(text),
    durationMs: Math.round(performance.now() - began),
  });
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(delivery.url, {
      method: 'POST',
      headers: headersOf(delivery),
      body: typeof delivery.body === 'string' ? delivery.body : new Uint8Array(delivery.body),
      redirect: 'manual',
      signal: limit,
    });
    return result(response.status, null, await response.text());
  } catch (error) {
    return result(null, limit.aborted ? 'no answer in 10 s' : reasonOf(error));
  }
}

/** `fetch` reports "fetch failed" and keeps the actual error in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

export const isAcknowledged = ({ status }: Posted): boolean => status !== null && isSuccess(status);

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** On one line, without terminal control characters. */
function excerptOf(text: string): string | null {
  const line = text.replaceAll(/[\s\p{C}]+/gu, ' ').trim();
  return line === '' ? null : line.slice(0, ANSWER_CHARACTERS_MAX);
}
