import { WebhookSignatureError } from '../../errors/webhook-signature-error.js';
import { BoundedBytes } from '../../http/bounded-bytes.js';
import { type RawBody } from '../construct-event.js';
import { BODY_TOO_LARGE, type ReceiveDelivery } from './answer.js';
import { BODY_BYTES_MAX } from './body-limit.js';

/** The required members of a request of Express or `node:http`. */
export interface NodeRequest extends AsyncIterable<unknown> {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly readableDidRead?: boolean;
  /** The result of a body parser that ran earlier. */
  readonly body?: unknown;
  /** The raw bytes, on platforms that provide them next to the parsed body. */
  readonly rawBody?: unknown;
}

/** The required members of a response. */
export interface NodeResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body?: string): unknown;
}

export type ExpressHandler = (request: NodeRequest, response: NodeResponse, next?: (error?: unknown) => void) => void;

/** For Express and `node:http`. */
export const expressHandler =
  (take: ReceiveDelivery): ExpressHandler =>
  (request, response, next) => {
    respond(take, request, response).catch((error: unknown) => {
      if (next !== undefined) return next(error);
      response.statusCode = 500;
      response.end();
    });
  };

async function respond(take: ReceiveDelivery, request: NodeRequest, response: NodeResponse): Promise<void> {
  if (request.method !== 'POST') {
    response.setHeader('allow', 'POST');
    return end(response, 405);
  }
  const payload = await rawBodyOf(request);
  // The rest of such a body is never read, so the connection cannot be reused.
  if (payload === null) response.setHeader('connection', 'close');
  const { headers } = request;
  const taken =
    payload === null
      ? BODY_TOO_LARGE
      : await take(payload, headers['gate-signature'], headers['traceparent'], headers['tracestate']);
  response.setHeader('content-type', 'application/json');
  end(response, taken.status, taken.body);
}

function end(response: NodeResponse, status: number, body?: string): void {
  response.statusCode = status;
  response.end(body);
}

/** Returns the raw bytes from wherever they are available; null if they exceed the limit. */
async function rawBodyOf(request: NodeRequest): Promise<RawBody | null> {
  const raw = [request.body, request.rawBody].find(isRaw);
  if (raw !== undefined) return raw;
  // An earlier parser has consumed the stream and kept only its result.
  if (request.readableDidRead === true) throw new WebhookSignatureError('parsed_body');
  if (Number(request.headers['content-length']) > BODY_BYTES_MAX) return null;
  const read = new BoundedBytes(BODY_BYTES_MAX);
  // Iterated by hand: leaving a `for await` early destroys the connection that the response needs.
  const chunks = request[Symbol.asyncIterator]();
  for (;;) {
    const next = await chunks.next();
    if (next.done === true) return read.bytes;
    if (!(next.value instanceof Uint8Array)) throw new WebhookSignatureError('parsed_body');
    if (!read.add(next.value)) return null;
  }
}

const isRaw = (value: unknown): value is string | Uint8Array =>
  typeof value === 'string' || value instanceof Uint8Array;
