import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Kept on the request and forgotten with it. The symbol is the process's, not this module's: a host may load this package twice, by
 * `require` in one file and by `import` in another, and the bytes that one copy keeps are for the other too.
 */
const RAW_BODY = Symbol.for('@gateramp/adapters-http-express/raw-body');

type Keeping = IncomingMessage & { [RAW_BODY]?: Uint8Array };

/**
 * For hosts that parse JSON before the gate: `app.use(express.json({ verify: keepRawBody }))`.
 * Provider callbacks are authenticated over the bytes, which are gone without it.
 */
export function keepRawBody(request: Keeping, _response: ServerResponse, bytes: Uint8Array): void {
  request[RAW_BODY] = bytes;
}

/** The bytes that a parser of the host's has read, if it keeps them. */
export function rawBodyOf(request: Keeping): Uint8Array | null {
  return request[RAW_BODY] ?? null;
}
