import { WebhookSignatureError } from '../../errors/webhook-signature-error.js';
import { type RawBody } from '../construct-event.js';
import { BODY_BYTES_MAX } from './body-limit.js';
import { type Take } from './answer.js';

/** What is used of a request of Express or `node:http`. */
export interface NodeRequest extends AsyncIterable<unknown> {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly readableDidRead?: boolean;
  /** What a parser before us has made of it. */
  readonly body?: unknown;
  /** Where a platform keeps the bytes beside its parsed body. */
  readonly rawBody?: unknown;
}

/** What is used of a response. */
export interface NodeResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body?: string): unknown;
}

export type ExpressHandler = (request: NodeRequest, response: NodeResponse, next?: (error?: unknown) => void) => void;

/** For Express, and for `node:http` as it is. */
export const expressHandler =
  (take: Take): ExpressHandler =>
  (request, response, next) => {
    respond(take, request, response).catch((error: unknown) => {
      if (next !== undefined) return next(error);
      response.statusCode = 500;
      response.end();
    });
  };

async function respond(take: Take, request: NodeRequest, response: NodeResponse): Promise<void> {
  if (request.method !== 'POST') {
    response.setHeader('allow', 'POST');
    return end(response, 405);
  }
  const payload = await rawBodyOf(request);
  if (payload === null) {
    // What is still on its way is not read, so nothing else can follow on this connection.
    response.setHeader('connection', 'close');
    return end(response, 413);
  }
  const { status, body } = await take(payload, request.headers['gate-signature']);
  response.setHeader('content-type', 'application/json');
  end(response, status, body);
}

function end(response: NodeResponse, status: number, body?: string): void {
  response.statusCode = status;
  response.end(body);
}

/** The bytes, wherever they are; null where they are too many. */
async function rawBodyOf(request: NodeRequest): Promise<RawBody | null> {
  const kept = [request.body, request.rawBody].find(isRaw);
  if (kept !== undefined) return kept.length > BODY_BYTES_MAX ? null : kept;
  // A parser before us has read them and kept what it made of them.
  if (request.readableDidRead === true) throw new WebhookSignatureError('parsed_body');
  if (Number(request.headers['content-length']) > BODY_BYTES_MAX) return null;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request) {
    if (!(chunk instanceof Uint8Array)) throw new WebhookSignatureError('parsed_body');
    chunks.push(chunk);
    length += chunk.length;
    if (length > BODY_BYTES_MAX) return null;
  }
  return joined(chunks, length);
}

const isRaw = (value: unknown): value is string | Uint8Array =>
  typeof value === 'string' || value instanceof Uint8Array;

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
