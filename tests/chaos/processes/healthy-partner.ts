import { once } from 'node:events';
import { createServer } from 'node:http';

import { askUntilTaken, pause } from '../lib/ask.js';
import { done, ordersOf, ready } from '../lib/helper-process.js';
import { openNdjson } from '../lib/ndjson.js';

const timeoutMs = 60_000;
const turnMs = 5;
/** Only ends a request that hangs. */
const arrivesWithinMs = 120_000;

/**
 * A partner that makes no mistakes: it creates sessions at a steady rate, or as fast as they are answered, and acknowledges its events,
 * including those of `others` sessions that another process creates for it. It logs its requests and what arrived.
 */
const { port, origin, secretKey, perSecond, inFlightMax, repeatsShed, others, logPath } = await ordersOf(
  'healthy-partner',
  () => void finish(),
);
const log = openNdjson(logPath);
const open = new Set<Promise<void>>();
const arrived = new Set<unknown>();
let acknowledged = 0;
let asked = 0;
let isOver = false;

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const event = request.headers['x-svc-event-id'] ?? null;
  log.write({ kind: 'arrived', at: Date.now(), event });
  response.once('finish', () => arrived.add(event));
  request
    .on('error', () => undefined)
    .on('end', () => response.end('ok'))
    .resume();
});
await once(server.listen(port, '127.0.0.1'), 'listening');
const began = performance.now();
const turns = setInterval(() => {
  while (!isOver && open.size < inFlightMax && asked < ((performance.now() - began) * perSecond) / 1000) create();
}, turnMs);
ready();

function create(): void {
  asked += 1;
  const at = Date.now();
  const answer = askUntilTaken(repeatsShed, `${origin}/v1/gate_sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secretKey}`, 'idempotency-key': `healthy-${asked}` },
    body: { amount: '25.00', currency: 'EUR', return_url: 'https://healthy.example/done' },
    timeoutMs,
  }).then(({ status, ms }) => {
    log.write({ kind: 'asked', at, status, ms });
    if (status === 201) acknowledged += 1;
    open.delete(answer);
  });
  open.add(answer);
}

/** Ends when all its requests are answered and all events have arrived, or can no longer arrive. */
async function finish(): Promise<void> {
  isOver = true;
  clearInterval(turns);
  await Promise.all(open);
  for (
    const until = performance.now() + arrivesWithinMs;
    arrived.size < acknowledged + others && performance.now() < until;
  )
    await pause(20);
  server.close(() => {
    log.close();
    done();
  });
  server.closeAllConnections();
}
