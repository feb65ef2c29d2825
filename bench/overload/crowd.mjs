import { httpSocket } from '../lib/http-socket.mjs';
import { creates } from '../http/requests.mjs';

/**
 * A process of its own that loads one partner's API until its standard input ends: what it costs to send is then not what others wait for.
 * With `perSecond` it is open-loop, requests leave when they are due whether or not earlier ones were answered; without, each connection
 * sends its next request after the last answer. Prints the result as one line of JSON.
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
      // A client that was turned away waits before it asks again, here a tenth of what the server asks for.
      if (status === 503) setTimeout(next, 100);
      else next();
    });
  };
  next();
}

async function openLoop() {
  const free = Array.from({ length: connections }, connect);
  // As behind a proxy that keeps its connections: Node accepts one connection in each turn of its event loop.
  await Promise.all(free.map((socket) => socket.connected));
  const began = performance.now();
  until = began + seconds * 1000;
  const tick = setInterval(() => {
    const now = performance.now();
    if (now >= until) return clearInterval(tick);
    const due = Math.floor(((now - began) / 1000) * perSecond);
    // What finds no connection waits in the client, as it would in a proxy, and its wait counts.
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
