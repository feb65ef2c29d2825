import { httpSocket } from './http-socket.mjs';

/**
 * Closed-loop load: each of the sockets sends its next request when the last answer is complete.
 *
 * @param {{ port: number, connections: number, seconds: number, request: (n: number) => string, expect: number }} options
 * @returns {Promise<{ answered: number, perSecond: number, p50: number, p99: number }>} requests per second, milliseconds
 */
export async function load({ port, connections, seconds, request, expect }) {
  const latencies = [];
  let sent = 0;
  let answered = 0;
  const began = performance.now();
  const until = began + seconds * 1000;
  await Promise.all(
    Array.from({ length: connections }, () =>
      oneAfterTheOther(port, expect, {
        next: () => (performance.now() < until ? request((sent += 1)) : null),
        done: (ms) => {
          answered += 1;
          if (answered % 16 === 0) latencies.push(ms);
        },
      }),
    ),
  );
  const elapsed = (performance.now() - began) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share) => latencies[Math.floor(latencies.length * share)] ?? 0;
  return { answered, perSecond: answered / elapsed, p50: at(0.5), p99: at(0.99) };
}

function oneAfterTheOther(port, expect, { next, done }) {
  return new Promise((resolve, onFault) => {
    const socket = httpSocket({ port, expect, onFault });
    const send = () => {
      const request = next();
      if (request === null) {
        socket.end();
        resolve();
        return;
      }
      const startedAt = performance.now();
      socket.ask(request, () => {
        done(performance.now() - startedAt);
        send();
      });
    };
    send();
  });
}
