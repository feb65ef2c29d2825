import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { DEMO_KEYS } from '../src/demo/demo-partner.js';
import { call, eventually, readyServer } from './running-server.js';

/** A request with an incomplete body, which runs until the test finishes it. */
async function beginRequest(origin: string, demo: string): Promise<{ finish(): void; answer: Promise<string> }> {
  const { hostname, port } = new URL(origin);
  const body = JSON.stringify({ amount: '100.00', currency: 'EUR', return_url: `${demo}/` });
  const socket: Socket = connect(Number(port), hostname);
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  const answer = new Promise<string>((resolve, reject) => {
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
  socket.write(
    `POST /v1/gate_sessions HTTP/1.1\r\nHost: gate\r\nAuthorization: Bearer ${DEMO_KEYS.secret}\r\nIdempotency-Key: drain\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
  );
  // An answer on a later connection shows that the server has read everything sent earlier.
  await call(`${origin}/health`);
  return { finish: () => void socket.write(body.slice(10)), answer };
}

describe.each(['fastify', 'express'])('SIGTERM on %s', (framework) => {
  it('drains: no new requests, the running one is answered, exit code 0', async () => {
    const server = await readyServer({ GATE_HTTP: framework });
    const { sandbox, demo, ops } = server.origins;
    const running = await beginRequest(sandbox, demo);
    server.process.kill('SIGTERM');
    // npm and the terminal may each forward a signal: a second one at the same moment counts as the same.
    server.process.kill('SIGTERM');
    await eventually(async () => (await fetch(`${sandbox}/health`).catch(() => null)) === null || null);
    expect(server.process.exitCode).toBeNull();
    // The load balancer is answered until the end.
    const draining = await call(`${ops}/ready`);
    expect([draining.status, draining.json.status]).toEqual([503, 'draining']);
    running.finish();
    const answer = await running.answer;
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    expect(answer.toLowerCase()).toContain('connection: close');
    expect(await server.exited).toBe(0);
    expect(server.stderr()).toContain('Stopped');
  });
});

it('GATE_DRAIN_DELAY_MS: after SIGTERM /ready is 503 at once, and requests are served until the delay is over', async () => {
  // One that no pause of the machine outlasts, and one to wait for.
  const [long, short] = [
    await readyServer({ GATE_DRAIN_DELAY_MS: '600000' }),
    await readyServer({ GATE_DRAIN_DELAY_MS: '1500' }),
  ];
  const { sandbox, ops } = long.origins;
  long.process.kill('SIGTERM');
  await eventually(async () => (await call(`${ops}/ready`)).status === 503 || null);
  expect((await call(`${sandbox}/health`)).status).toBe(200);
  expect(long.process.exitCode).toBeNull();
  long.process.kill('SIGKILL');

  const stopped = performance.now();
  short.process.kill('SIGTERM');
  expect(await short.exited).toBe(0);
  expect(performance.now() - stopped).toBeGreaterThan(1_500);
});

it('GATE_KEEP_ALIVE_MS says how long idle connections are kept, on every listener', async () => {
  const server = await readyServer({ GATE_KEEP_ALIVE_MS: '61000' });
  const { sandbox, ops, widget } = server.origins;
  for (const origin of [sandbox, ops, widget]) {
    const { headers } = await fetch(`${origin}/health`);
    expect(headers.get('keep-alive')).toBe('timeout=61');
  }
  server.process.kill('SIGTERM');
  expect(await server.exited).toBe(0);
});

it('without the demo there is no shop and no partner with public keys', async () => {
  const server = await readyServer({ GATE_DEMO: 'off' });
  const { sandbox, demo } = server.origins;
  expect(demo).toBeNull();
  const answer = await call(`${sandbox}/v1/gate_sessions`, { authorization: `Bearer ${DEMO_KEYS.secret}` });
  expect([answer.status, answer.json.code]).toEqual([401, 'invalid_api_key']);
  server.process.kill('SIGTERM');
  expect(await server.exited).toBe(0);
});
