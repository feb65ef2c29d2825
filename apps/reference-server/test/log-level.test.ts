import { pino } from 'pino';
import { expect, it } from 'vitest';
import { logTelemetry } from '../src/log-telemetry.js';
import { eventually, hooksOf, postAsDemo, readyServer } from './running-server.js';

it('a create has one line, and deliveries have one each at debug', async () => {
  const lines = async (level: string) => {
    const server = await readyServer({ GATE_LOG_LEVEL: level });
    const terms = { amount: '100.00', currency: 'EUR', return_url: `${server.origins.demo}/done` };
    const { id } = await postAsDemo(server, '/v1/gate_sessions', terms, 'k1');
    // The attempt that has arrived ends, and is logged, before the server stops.
    await eventually(async () => (await hooksOf(server.origins.demo, String(id)))[0]);
    server.process.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    const all = server.stderr().trimEnd().split('\n').filter(Boolean);
    return all.map(
      (line) =>
        JSON.parse(line) as { readonly msg: string; readonly method?: string; readonly status?: string | number },
    );
  };
  const created = (all: Awaited<ReturnType<typeof lines>>) =>
    all
      .filter(({ msg, method, status }) => (msg === 'delivery_attempt' && status === 'delivered') || method === 'POST')
      .map(({ msg }) => msg);
  expect(created(await lines('info'))).toEqual(['request']);
  expect(created(await lines('debug'))).toContain('delivery_attempt');
  expect(await lines('error')).toEqual([]);
});

it('a failed delivery is at info', () => {
  const written: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => written.push(line) });
  for (const status of ['retrying', 'dead_lettered', 'lease_lost', 'delivered'])
    logTelemetry(log).note('delivery_attempt', { status });
  expect(written.map((line) => (JSON.parse(line) as { level: number }).level)).toEqual([30, 30, 30, 20]);
});
