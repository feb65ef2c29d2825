import type { HttpSubject, MountedHost, WireRequest, WireResponse } from './subject.js';

/** A client address of the documentation range. */
const CLIENT_IP = '203.0.113.7';

/** Serves a gate over its own Fetch bridge: without sockets, thousands of requests are cheap. */
export function fetchSubject(): HttpSubject {
  return {
    async mount(gate, mode): Promise<MountedHost> {
      return {
        send: async (request) => readResponse(await gate.fetch(toFetch(request), { mode, clientIp: CLIENT_IP })),
        close: () => Promise.resolve(),
      };
    },
  };
}

function toFetch({ method, path, headers, body }: WireRequest): Request {
  const init: RequestInit = { method, headers: { ...headers } };
  // As bytes, because Fetch adds a Content-Type to text.
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return new Request(`http://gate.test${path}`, bytes === undefined ? init : { ...init, body: new Uint8Array(bytes) });
}

async function readResponse(response: Response): Promise<WireResponse> {
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
}
