import { createServer } from 'node:http';
import { constants, setPriority } from 'node:os';

import { jsonOf } from '../lib/ask.mjs';
import { done, orders } from '../lib/helper-process.mjs';
import { openNdjson } from '../lib/ndjson.mjs';

const dripMs = 100;
const gigabyte = 2 ** 30;
const chunk = Buffer.alloc(64 * 1024, 'x');

/**
 * Receivers that are hostile, each on a port of its own, and one more that nobody may be sent to. What it writes down of a request is written
 * when that has ended, and says for how long the other side held on.
 *
 * They are other people's machines: what they burn is theirs, so they get what the server leaves of this one.
 *
 * Requests of one wave wait for each other, and then misbehave all at the same moment. Those of no wave do so at once.
 */
const { ways, wave: waveOrders, logPath } = await orders(close);
setPriority(constants.priority.PRIORITY_LOW);
const log = openNdjson(logPath);
const waves = new Map();
const servers = [];

const portOf = async (take) => {
  const server = createServer({ keepAliveTimeout: 60_000 }, take);
  servers.push(server);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', 511, resolve));
  return server.address().port;
};
const forbidden = await portOf((request, response) => {
  log.write({ kind: 'led_astray', at: Date.now(), path: request.url });
  response.end();
});
const places = [`http://127.0.0.1:${forbidden}/`, 'http://169.254.169.254/latest/meta-data/'];
const ports = [];
for (const [endpoint, way] of ways.entries())
  ports.push(await portOf((request, response) => take({ endpoint, way }, request, response)));
process.send({ ports });

function close() {
  for (const server of servers) server.close() && server.closeAllConnections();
  // What was still open is written down when its end is heard of.
  setTimeout(() => {
    log.close();
    done();
  }, 100);
}

async function take({ endpoint, way }, request, response) {
  const entry = { kind: 'held', at: Date.now(), endpoint, way, event: request.headers['x-svc-event-id'] ?? null };
  const began = performance.now();
  const { socket } = request;
  const before = socket.bytesWritten;
  response.once('close', () =>
    log.write({ ...entry, heldMs: Math.round(performance.now() - began), sent: socket.bytesWritten - before }),
  );
  socket.on('error', () => undefined);
  const body = jsonOf(await textOf(request));
  const others = othersOf(body?.data?.user_reference ?? '');
  // Nothing has an end that begins here, so it need not wait.
  if (way !== 'drips_headers') await others;
  if (!socket.destroyed) misbehave[way](response, endpoint);
}

const misbehave = {
  never_answers: () => undefined,
  drips_headers: (response) => drip(response, 'HTTP/1.1 200 OK\r\nx-slow: '),
  drips_body: (response) => drip(response, 'HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n'),
  resets: ({ socket }) => socket.resetAndDestroy(),
  redirects: (response, endpoint) =>
    response.writeHead(302, { location: places[Math.floor(endpoint / 5) % places.length] }).end(),
  sends_gigabyte: (response) => {
    response.writeHead(200, { 'content-length': gigabyte });
    pour(response, gigabyte);
  },
};

/** A character now and then, for as long as anybody listens. */
function drip(response, head) {
  const { socket } = response;
  socket.write(head);
  const timer = setInterval(() => socket.write('z'), dripMs);
  response.once('close', () => clearInterval(timer));
}

/** As fast as it is taken. */
function pour(response, left) {
  while (left > 0 && !response.destroyed) {
    left -= chunk.length;
    if (!response.write(chunk)) return response.once('drain', () => pour(response, left));
  }
  response.end();
}

/** Resolves when so many requests of the same wave have been here together for a while, or when the first of them has waited long enough. */
function othersOf(reference) {
  if (!reference.startsWith('wave/')) return null;
  const wave = waves.get(reference) ?? waveFrom(reference);
  wave.here += 1;
  if (wave.here === waveOrders.size) setTimeout(wave.release, waveOrders.holdMs);
  return wave.released;
}

function waveFrom(reference) {
  const wave = { here: 0 };
  wave.released = new Promise((resolve) => (wave.release = resolve));
  setTimeout(wave.release, waveOrders.waitsMs).unref();
  waves.set(reference, wave);
  return wave;
}

async function textOf(request) {
  const chunks = [];
  try {
    for await (const each of request) chunks.push(each);
  } catch {
    return '';
  }
  return Buffer.concat(chunks).toString('utf8');
}
