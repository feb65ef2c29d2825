import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

import { jsonOf, shaOf } from '../lib/ask.mjs';
import { chance } from '../lib/chance.mjs';
import { done, orders } from '../lib/helper-process.mjs';
import { openNdjson } from '../lib/ndjson.mjs';

/**
 * The partners' endpoints: one path each, failing a share of what they get in every way receivers fail, and writing down all of it. Nothing
 * here comes from the engine: signatures are checked by hand.
 */
const { port, secrets, failing, hanging, seed, logPath } = await orders(close);
const log = openNdjson(logPath);
const luck = chance(seed);

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const entry = { at: Date.now(), path: request.url, event: request.headers['x-svc-event-id'] ?? null };
  const mood = moodOf();
  if (mood === 'closes_unread') {
    write({ ...entry, sha: null, answered: mood });
    return request.socket.destroy();
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk)).on('error', () => undefined);
  request.on('end', () => {
    const bytes = Buffer.concat(chunks);
    const body = jsonOf(bytes.toString('utf8'));
    write({
      ...entry,
      sha: shaOf(bytes),
      bodyEvent: body?.id ?? null,
      type: body?.type ?? null,
      session: body?.data?.session_id ?? body?.data?.id ?? null,
      sequence: body?.sequence ?? null,
      isVerified: isSigned(request.headers['gate-signature'] ?? '', bytes, secrets[request.url]),
      answered: mood,
    });
    answer(mood, request, response);
  });
});
server.listen(port, '127.0.0.1', () => process.send({ ready: true }));
const flushing = setInterval(() => log.flush(), 500).unref();

function close() {
  clearInterval(flushing);
  server.close(() => {
    log.close();
    done();
  });
  server.closeAllConnections();
}

/** Before the answer: what was acknowledged is in the log, always. */
function write(entry) {
  log.write(entry);
}

function moodOf() {
  if (!luck.isHit(failing)) return 200;
  if (luck.isHit(hanging)) return 'hangs';
  return luck.pick([500, 500, 503, 429, 302, 'closes_unread', 'closes_read']);
}

function answer(mood, request, response) {
  if (mood === 'closes_read') return request.socket.destroy();
  // The sender gives up after ten seconds; this end does so only later.
  if (mood === 'hangs') return setTimeout(() => request.socket.destroy(), 15_000).unref();
  response.writeHead(mood, mood === 302 ? { location: '/elsewhere' } : {});
  response.end(mood === 200 ? 'ok' : 'not now');
}

function isSigned(header, bytes, secret) {
  const t = /(?:^|,)t=(\d+)/.exec(header)?.[1];
  const given = [...header.matchAll(/(?:^|,)v1=([0-9a-f]{64})/g)].map((match) => Buffer.from(match[1], 'hex'));
  if (t === undefined || secret === undefined || Math.abs(Date.now() / 1000 - Number(t)) > 300) return false;
  const expected = createHmac('sha256', secret).update(`${t}.`).update(bytes).digest();
  return given.some((one) => timingSafeEqual(one, expected));
}
