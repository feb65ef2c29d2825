import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** A screening and identity service like one that a platform would write: it repeats its first answer to each call. */
export interface CheckService {
  readonly url: string;
  /** The request bodies in the order of their arrival. */
  readonly seen: Record<string, unknown>[];
  /** The answer to a new call. */
  answer: Readonly<Record<string, unknown>>;
  trouble: string | null;
  readonly close: () => Promise<void>;
}

export const SECRET = 'whsec_of_the_check_service';

/** Faults of an answer. */
export const TROUBLES = [
  'silence',
  'a closed connection',
  'an error',
  'a redirect',
  'no json',
  'an endless answer',
  'an unknown result',
  'an answer to another call',
  'an answer to no call',
] as const;

export async function checkService(): Promise<CheckService> {
  const kept = new Map<unknown, Readonly<Record<string, unknown>>>();
  const server = createServer((request, response) => void answerTo(request, response));

  async function answerTo(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = Buffer.concat(await request.toArray()).toString('utf8');
    if (!isAuthentic(request, text)) return void response.writeHead(401).end();
    const body = JSON.parse(text) as Record<string, unknown>;
    service.seen.push(body);
    const { call_id: callId, type } = body;
    if (request.headers['idempotency-key'] !== callId) return void response.writeHead(400).end();
    if (isBroken(response, callId)) return;
    const first = kept.get(callId) ?? service.answer;
    const isAnswered = type === 'identity_confirm' && first['result'] === 'requires_action';
    const answer = isAnswered ? { result: 'verified' } : first;
    kept.set(callId, answer);
    response.end(JSON.stringify({ call_id: callId, ...answer }));
  }

  function isBroken(response: ServerResponse, callId: unknown): boolean {
    const good = { call_id: callId, result: 'clear' };
    switch (service.trouble as (typeof TROUBLES)[number] | null) {
      case null:
        return false;
      case 'silence':
        return true;
      case 'a closed connection':
        // The request has been read, so that destroying it would leave the connection open.
        response.destroy();
        return true;
      case 'an error':
        response.writeHead(500).end(JSON.stringify(good));
        return true;
      case 'a redirect':
        response.writeHead(307, { location: '/elsewhere' }).end();
        return true;
      case 'no json':
        response.end('clear');
        return true;
      case 'an endless answer':
        response.end(JSON.stringify({ ...good, padding: 'x'.repeat(100_000) }));
        return true;
      case 'an unknown result':
        response.end(JSON.stringify({ call_id: callId, result: 'ok' }));
        return true;
      case 'an answer to another call':
        response.end(JSON.stringify({ call_id: 'op0-screen', result: 'clear' }));
        return true;
      case 'an answer to no call':
        response.end(JSON.stringify({ result: 'verified' }));
        return true;
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  const service: CheckService = {
    url: `http://127.0.0.1:${port}/`,
    seen: [],
    answer: { result: 'clear' },
    trouble: null,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return service;
}

function isAuthentic({ headers }: IncomingMessage, body: string): boolean {
  if (headers.authorization === `Bearer ${SECRET}`) return true;
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-gate-signature'])) ?? [];
  return v1 === createHmac('sha256', SECRET).update(`${t}.${body}`).digest('hex');
}
