import { createConnection } from 'node:net';

/**
 * Closed-loop load over keep-alive sockets: each connection sends its next request when the last
 * answer is complete. Requests are built from a template, so the client costs little and the
 * server is what is measured.
 *
 * @param {{ port: number, connections: number, seconds: number, request: (n: number) => string, expect: number }} options
 * @returns {Promise<{ answered: number, perSecond: number, p50: number, p99: number }>} requests a second, milliseconds
 */
export async function load({ port, connections, seconds, request, expect }) {
  const latencies = [];
  let sent = 0;
  let answered = 0;
  const began = performance.now();
  const until = began + seconds * 1000;
  await Promise.all(
    Array.from({ length: connections }, () =>
      connection(port, expect, {
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

function connection(port, expect, { next, done }) {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: '127.0.0.1', port, noDelay: true });
    let pending = '';
    let startedAt = 0;
    const send = () => {
      const request = next();
      if (request === null) {
        socket.end();
        resolve();
        return;
      }
      startedAt = performance.now();
      socket.write(request);
    };
    socket.setEncoding('latin1');
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      pending = pending === '' ? chunk : pending + chunk;
      const head = pending.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = /\r\ncontent-length: (\d+)/i.exec(pending.slice(0, head + 2));
      if (length === null) return reject(new Error(`No content-length in the answer: ${pending.slice(0, head)}`));
      if (pending.length < head + 4 + Number(length[1])) return;
      const status = Number(pending.slice(9, 12));
      if (status !== expect) return reject(new Error(`Expected ${expect}, got: ${pending.slice(0, 600)}`));
      pending = '';
      done(performance.now() - startedAt);
      send();
    });
  });
}

/** One HTTP/1.1 request as text. */
export function httpRequest(method, path, headers, body = '') {
  const lines = [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== '') lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(body)}`);
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
