import { createHash } from 'node:crypto';
import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { isRecord } from '@gateramp/core/domain';

/** Closes idle connections well before a server would: a request during the close would be lost without a fault. */
const agent = new Agent({ keepAlive: true, maxSockets: 512, timeout: 2_000 });

export interface Question {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Sends the `Origin` of the server's checkout. */
  readonly isOfCheckout?: boolean;
}

export interface WholeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly sha: string;
  readonly ms: number;
}

export interface NoAnswer {
  readonly status: null;
  readonly error: string;
  readonly ms: number;
}

export type Answer = WholeAnswer | NoAnswer;

/**
 * Sends one HTTP request. Returns `{ status, headers, text, sha, ms }`, or `{ status: null, error, ms }` without a complete response.
 * Never throws, never repeats it.
 */
export function ask(
  url: string,
  { method = 'GET', headers = {}, body = null, timeoutMs }: Question & { readonly timeoutMs: number },
): Promise<Answer> {
  const began = performance.now();
  const ms = (): number => Math.round(performance.now() - began);
  const text = body === null ? null : JSON.stringify(body);
  const content =
    text === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  return new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException): void =>
      resolve({ status: null, error: error.code ?? error.message, ms: ms() });
    const sent = request(
      url,
      { method, agent, timeout: timeoutMs, headers: { ...content, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', failed);
        response.on('aborted', () => failed(new Error('cut off')));
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: bytes.toString('utf8'),
            sha: shaOf(bytes),
            ms: ms(),
          });
        });
      },
    );
    sent.on('timeout', () => sent.destroy(Object.assign(new Error('timeout'), { code: 'CLIENT_TIMEOUT' })));
    sent.on('error', failed);
    sent.end(text ?? undefined);
  });
}

export function shaOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The fields of a body. */
export type Said = Readonly<Record<string, unknown>>;

/** Null if it is not a JSON object. */
export function jsonOf(text: string): Said | null {
  try {
    const said: unknown = JSON.parse(text);
    return isRecord(said) ? said : null;
  } catch {
    return null;
  }
}

/** A text field; null if it is absent or not text. */
export function textIn(said: unknown, field: string): string | null {
  const value = isRecord(said) ? said[field] : null;
  return typeof value === 'string' ? value : null;
}

const shedTriesMax = 100;
const shedWaitMs = 200;

/** With `repeatsShed`, repeats a request with an idempotency key while the response is 503, as a client does. */
export async function askUntilTaken(repeatsShed: boolean, ...asked: Parameters<typeof ask>): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await ask(...asked);
    if (answer.status !== 503 || !repeatsShed || tries === shedTriesMax) return answer;
    await pause(shedWaitMs);
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
