import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import type { Mood, Received } from '../audit/facts.js';
import { jsonOf, shaOf, textIn } from '../lib/ask.js';
import { chance } from '../lib/chance.js';
import { done, ordersOf, ready } from '../lib/helper-process.js';
import { openNdjson } from '../lib/ndjson.js';
import type { EndpointOrders } from '../lib/orders.js';

/**
 * The partners' endpoints, one path each. They fail a share of requests in every way that receivers fail, and log all requests. They use
 * no code of the engine: signatures are verified here.
 */
const { port, endpoints, seed, logPath } = await ordersOf('partner-endpoints', close);
const log = openNdjson(logPath);
const luck = chance(seed);

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const { url: path = '', headers } = request;
  const unread = { at: Date.now(), path, event: header(headers['x-svc-event-id']), ...UNREAD };
  const mood = moodOf(endpoints[path]);
  if (mood === 'closes_unread') {
    write({ ...unread, answered: mood });
    return void request.socket.destroy();
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined);
  request.on('end', () => {
    const bytes = Buffer.concat(chunks);
    const body = jsonOf(bytes.toString('utf8'));
    write({
      ...unread,
      sha: shaOf(bytes),
      bodyEvent: textIn(body, 'id'),
      type: textIn(body, 'type'),
      session: textIn(body?.data, 'session_id') ?? textIn(body?.data, 'id'),
      sequence: typeof body?.sequence === 'number' ? body.sequence : null,
      isVerified: isSigned(header(headers['gate-signature']) ?? '', bytes, endpoints[path]?.secret),
      answered: mood,
    });
    answer(mood, request, response);
  });
});
server.listen(port, '127.0.0.1', () => ready());
const flushing = setInterval(() => log.flush(), 500).unref();

function close(): void {
  clearInterval(flushing);
  server.close(() => {
    log.close();
    done();
  });
  server.closeAllConnections();
}

/** The log entry for an unread body. */
const UNREAD = { sha: null, bodyEvent: null, type: null, session: null, sequence: null, isVerified: false };

/** Before the response, so that everything acknowledged is in the log. */
function write(entry: Received): void {
  log.write(entry);
}

function moodOf(endpoint: EndpointOrders | undefined): Mood {
  if (endpoint === undefined || !luck.isHit(endpoint.failing)) return 200;
  if (luck.isHit(endpoint.hanging)) return 'hangs';
  return luck.pick<Mood>([500, 500, 503, 429, 302, 'closes_unread', 'closes_read']);
}

function answer(mood: Mood, request: IncomingMessage, response: ServerResponse): void {
  if (mood === 'closes_read' || mood === 'closes_unread') return void request.socket.destroy();
  // The sender gives up after ten seconds, before this end does.
  if (mood === 'hangs') return void setTimeout(() => request.socket.destroy(), 15_000).unref();
  response.writeHead(mood, mood === 302 ? { location: '/elsewhere' } : {});
  response.end(mood === 200 ? 'ok' : 'not now');
}

/** A header that was sent once. */
const header = (value: string | string[] | undefined): string | null => (typeof value === 'string' ? value : null);

function isSigned(signature: string, bytes: Buffer, secret: string | undefined): boolean {
  const t = /(?:^|,)t=(\d+)/.exec(signature)?.[1];
  const given = [...signature.matchAll(/(?:^|,)v1=([0-9a-f]{64})/g)].map((match) => Buffer.from(match[1] ?? '', 'hex'));
  if (t === undefined || secret === undefined || Math.abs(Date.now() / 1000 - Number(t)) > 300) return false;
  const expected = createHmac('sha256', secret).update(`${t}.`).update(bytes).digest();
  return given.some((one) => timingSafeEqual(one, expected));
}
