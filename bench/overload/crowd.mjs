import { httpSocket } from '../lib/http-socket.mjs';
import { creates } from '../http/requests.mjs';

/**
 * Loads one partner's API for `seconds`, in its own process, so that the cost of sending does not delay other clients. With `perSecond`
 * the load is open-loop: requests are sent when they are due, without waiting for earlier answers. Otherwise each connection sends its
 * next request after the last answer. Prints the result as one line of JSON.
 */
const { port, key, connections, perSecond = null, seconds } = JSON.parse(process.argv[2]);
const request = creates({ key });
const latencies = [];
let accepted = 0;
let shed = 0;
let failed = 0;
let sent = 0;
let until = performance.now() + seconds * 1000;

function onFault(error) {
  if (failed === 0) process.stderr.write(`${error.message}\n`);
  failed += 1;
}

function connect() {
  return httpSocket({ port, expect: [201, 503], onFault });
}

function note(status, since) {
  if (status === 503) shed += 1;
  else {
    accepted += 1;
    latencies.push(performance.now() - since);
  }
}

function closedLoop() {
  const socket = connect();
  const next = () => {
    if (performance.now() >= until) return socket.end();
    const since = performance.now();
    socket.ask(request((sent += 1)), (_, status) => {
      note(status, since);
      // A refused client waits before its next request, here a tenth of the `Retry-After` time.
      if (status === 503) setTimeout(next, 100);
      else next();
    });
  };
  next();
}

async function openLoop() {
  const free = Array.from({ length: connections }, connect);
  // Like a proxy with keep-alive connections: Node accepts only one connection per turn of its event loop.
  await Promise.all(free.map((socket) => socket.connected));
  const began = performance.now();
  until = began + seconds * 1000;
  const tick = setInterval(() => {
    const now = performance.now();
    if (now >= until) return clearInterval(tick);
    const due = Math.floor(((now - began) / 1000) * perSecond);
    // A request without a free connection waits in the client, as in a proxy, and its wait counts.
    while (sent < due && free.length > 0) {
      const since = began + (sent / perSecond) * 1000;
      const socket = free.pop();
      socket.ask(request((sent += 1)), (_, status) => {
        note(status, since);
        free.push(socket);
      });
    }
    return undefined;
  }, 2);
}

if (perSecond === null) for (let nth = 0; nth < connections; nth += 1) closedLoop();
else await openLoop();

const PATIENCE_MS = 15_000;
const end = setInterval(() => {
  const isDone =
    performance.now() > until && (accepted + shed + failed >= sent || performance.now() > until + PATIENCE_MS);
  if (!isDone) return;
  clearInterval(end);
  latencies.sort((a, b) => a - b);
  const at = (share) => latencies[Math.floor(latencies.length * share)] ?? 0;
  const unanswered = sent - accepted - shed - failed;
  process.stdout.write(
    `${JSON.stringify({ sent, accepted, shed, failed, unanswered, p50: at(0.5), p99: at(0.99), perSecond: accepted / seconds })}\n`,
    () => process.exit(0),
  );
}, 50);
