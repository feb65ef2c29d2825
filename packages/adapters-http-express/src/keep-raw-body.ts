import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * The property of the request that holds its raw body. A global symbol: a host may load this package twice, by `require` in one file and by
 * `import` in another, and both copies must find the bytes.
 */
const RAW_BODY = Symbol.for('@gateramp/adapters-http-express/raw-body');

type Keeping = IncomingMessage & { [RAW_BODY]?: Uint8Array };

/**
 * For hosts that parse JSON before the gate: `app.use(express.json({ verify: keepRawBody }))`. Provider callbacks are authenticated over
 * the raw bytes, which would otherwise be lost.
 */
export function keepRawBody(request: Keeping, _response: ServerResponse, bytes: Uint8Array): void {
  request[RAW_BODY] = bytes;
}

/** Returns the bytes that the host's parser has read, if it keeps them. */
export function rawBodyOf(request: Keeping): Uint8Array | null {
  return request[RAW_BODY] ?? null;
}
