import type { IncomingMessage, ServerResponse } from 'node:http';

/** Forgotten with its request. */
const rawBodies = new WeakMap<IncomingMessage, Uint8Array>();

/**
 * For hosts that parse JSON before the gate: `app.use(express.json({ verify: keepRawBody }))`.
 * Provider callbacks are authenticated over the bytes, which are gone without it.
 */
export function keepRawBody(request: IncomingMessage, _response: ServerResponse, bytes: Uint8Array): void {
  rawBodies.set(request, bytes);
}

/** The bytes that a parser of the host's has read, if it was told to keep them. */
export function rawBodyOf(request: IncomingMessage): Uint8Array | null {
  return rawBodies.get(request) ?? null;
}
