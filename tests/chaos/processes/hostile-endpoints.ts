import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { constants, setPriority } from 'node:os';

import { portOf } from '../../services/ports.js';
import { jsonOf, textIn } from '../lib/ask.js';
import { done, ordersOf, ready } from '../lib/helper-process.js';
import type { Way } from '../hostile/ways.js';
import { openNdjson } from '../lib/ndjson.js';

const dripMs = 100;
const gigabyte = 2 ** 30;
const chunk = Buffer.alloc(64 * 1024, 'x');

/**
 * Hostile receivers, each on its own port, and one more that must receive nothing. The log entry of a request is written when
 * the request has ended, with its duration.
 *
 * They stand for external machines, so their CPU time must not slow the server: they run at low priority, unless the machine is shared.
 *
 * Requests of one wave wait for each other, and then misbehave at the same moment. Others misbehave at once. In a tame wave
 * they behave, and nothing is logged.
 */
const { ways, wave: waveOrders, yields, logPath } = await ordersOf('hostile-endpoints', close);
if (yields) setPriority(constants.priority.PRIORITY_LOW);
const log = openNdjson(logPath);
const waves = new Map<string, Wave>();
const servers: Server[] = [];

const listen = async (take: RequestListener): Promise<number> => {
  const server = createServer({ keepAliveTimeout: 60_000 }, take);
  servers.push(server);
  await once(server.listen(0, '127.0.0.1', 511), 'listening');
  return portOf(server);
};
const forbidden = await listen((request, response) => {
  log.write({ kind: 'led_astray', at: Date.now(), path: request.url });
  response.end();
});
const places = [`http://127.0.0.1:${forbidden}/`, 'http://169.254.169.254/latest/meta-data/'];
const ports: number[] = [];
for (const [endpoint, way] of ways.entries())
  ports.push(await listen((request, response) => void take({ endpoint, way }, request, response)));
ready(ports);

function close(): void {
  for (const server of servers) server.close().closeAllConnections();
  // Open requests are logged when they end.
  setTimeout(() => {
    log.close();
    done();
  }, 100);
}

async function take(
  { endpoint, way }: { readonly endpoint: number; readonly way: Way },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const entry = { kind: 'held', at: Date.now(), endpoint, way, event: request.headers['x-svc-event-id'] ?? null };
  const began = performance.now();
  const { socket } = request;
  const before = socket.bytesWritten;
  let isTame = false;
  response.once('close', () => {
    if (isTame) return;
    log.write({ ...entry, heldMs: Math.round(performance.now() - began), sent: socket.bytesWritten - before });
  });
  socket.on('error', () => undefined);
  const body = jsonOf(await textOf(request));
  const reference = textIn(body?.data, 'user_reference') ?? '';
  isTame = reference.startsWith('tame/');
  const others = othersOf(reference);
  // A dripping response does not end here, so it does not wait for the wave.
  if (isTame || way !== 'drips_headers') await others;
  if (isTame) response.end('ok');
  else if (!socket.destroyed) misbehave[way](response, endpoint);
}

const misbehave: Readonly<Record<Way, (response: ServerResponse, endpoint: number) => void>> = {
  never_answers: () => undefined,
  drips_headers: (response) => drip(response, 'HTTP/1.1 200 OK\r\nx-slow: '),
  drips_body: (response) => drip(response, 'HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n'),
  resets: ({ socket }) => void socket?.resetAndDestroy(),
  redirects: (response, endpoint) =>
    void response.writeHead(302, { location: places[Math.floor(endpoint / 5) % places.length] }).end(),
  sends_gigabyte: (response) => {
    response.writeHead(200, { 'content-length': gigabyte });
    pour(response, gigabyte);
  },
};

/** Sends a character from time to time, until the client closes. */
function drip(response: ServerResponse, head: string): void {
  const { socket } = response;
  socket?.write(head);
  const timer = setInterval(() => socket?.write('z'), dripMs);
  response.once('close', () => clearInterval(timer));
}

/** As fast as the client reads. */
function pour(response: ServerResponse, left: number): void {
  while (left > 0 && !response.destroyed) {
    left -= chunk.length;
    if (!response.write(chunk)) return void response.once('drain', () => pour(response, left));
  }
  response.end();
}

/**
 * Resolves when this many requests of the same wave have been open together for a while, or when the first has waited for
 * its maximum time.
 */
function othersOf(reference: string): Promise<void> | null {
  if (!/\/\d+$/.test(reference)) return null;
  const wave = waves.get(reference) ?? waveFrom(reference);
  wave.here += 1;
  if (wave.here === waveOrders.size) setTimeout(wave.release, waveOrders.holdMs);
  return wave.released;
}

interface Wave {
  here: number;
  readonly released: Promise<void>;
  readonly release: () => void;
}

function waveFrom(reference: string): Wave {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const wave = { here: 0, released, release };
  setTimeout(release, waveOrders.waitsMs).unref();
  waves.set(reference, wave);
  return wave;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const each of request as AsyncIterable<Buffer>) chunks.push(each);
  } catch {
    return '';
  }
  return Buffer.concat(chunks).toString('utf8');
}
