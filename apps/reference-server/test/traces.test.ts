import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { advanceClock } from '../../../tests/services/advance-clock.js';
import { scratchDatabase } from '../../../tests/services/scratch-database.js';
import { scratchFolder } from '../../../tests/services/scratch-folder.js';
import { startCollector, startReceiver, type CollectedSpan } from './collector.js';
import { MASTER_KEY } from './master-keys.js';
import { call, eventually, readyServer, type ReadyServer } from './running-server.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARTNER_SPAN = '00f067aa0ba902b7';
const SECRET_KEY = 'sk_test_traces_secret_key';
const KEY = { authorization: `Bearer ${SECRET_KEY}` };
const ORDER = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };
const DAYS = 24 * 60 * 60;

/** The spans of attempts to deliver, oldest first. */
const attempts = (spans: readonly CollectedSpan[]): readonly CollectedSpan[] =>
  spans.filter(({ name }) => name === 'send gate_session.created');

const textAt = ({ attributes }: CollectedSpan, name: string): string | undefined =>
  attributes.find(({ key }) => key === name)?.value.stringValue;

it('sends one trace from the request of a partner over a crash, another process, retries and a replay to the receiver', async () => {
  const [collector, receiver, database] = [await startCollector(), await startReceiver(), await scratchDatabase()];
  const settings = {
    DATABASE_URL: database.url,
    GATE_MASTER_KEY: MASTER_KEY,
    GATE_SEED_FILE: seedFile(receiver.url),
    GATE_ALLOW_PRIVATE_WEBHOOKS: 'on',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_SERVICE_NAME: 'shop-gate',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  };
  const first = await readyServer({ ...settings, GATE_ROLE: 'api' });
  const traceparent = `00-${TRACE}-${PARTNER_SPAN}-01`;
  const created = await call(
    `${first.origins.sandbox}/v1/gate_sessions`,
    { ...KEY, 'idempotency-key': 'an-order', traceparent, tracestate: 'vendor=1' },
    ORDER,
  );
  expect(created.status).toBe(201);
  await eventually(async () => collector.spans.find(({ parentSpanId }) => parentSpanId === PARTNER_SPAN));
  first.process.kill('SIGKILL');
  await first.exited;

  receiver.answerWith(500);
  const second = await readyServer({ ...settings, GATE_TEST_CLOCK: 'on', GATE_LOG_LEVEL: 'debug' });
  const api = `${second.origins.sandbox}/v1`;
  await eventually(async () => receiver.traceparents[0]);
  await advanceClock(second.origins.sandbox, SECRET_KEY, 8 * DAYS);
  const dead = await eventually(async () => {
    const { json } = await call(`${api}/webhooks/deliveries?status=dead_lettered`, KEY);
    return (json['data'] as unknown as readonly { readonly id: string }[])[0];
  });
  receiver.answerWith(200);
  const failed = receiver.traceparents.length;
  await call(`${api}/webhooks/deliveries/${dead.id}/replay`, { ...KEY, 'idempotency-key': 'again' }, {});
  await eventually(async () => receiver.traceparents[failed]);
  second.process.kill('SIGTERM');
  expect(await second.exited).toBe(0);

  const trace = collector.spans.filter(({ traceId }) => traceId === TRACE);
  const [request] = trace.filter(({ parentSpanId }) => parentSpanId === PARTNER_SPAN);
  expect(request?.name).toBe('POST /v1/gate_sessions');
  const commit = trace.find(({ name, parentSpanId }) => name === 'commit' && parentSpanId === request?.spanId);
  const sent = attempts(trace);
  expect(sent.map(({ parentSpanId }) => parentSpanId)).toEqual(sent.map(() => commit?.spanId));
  expect(sent.map((span) => textAt(span, 'gateramp.delivery.trigger'))).toEqual([
    'initial',
    ...Array.from({ length: failed - 1 }, () => 'scheduled'),
    'replay',
  ]);
  expect(new Set(receiver.tracestates)).toEqual(new Set(['vendor=1']));
  expect(request?.traceState).toBe('vendor=1');
  const replay = collector.spans.find(({ name }) => name.endsWith('/replay'));
  const replayed = collector.spans.find(
    ({ name, parentSpanId }) => name === 'commit' && parentSpanId === replay?.spanId,
  );
  const spansOf = (span: CollectedSpan | undefined) => (span?.links ?? []).map(({ spanId }) => spanId);
  expect(spansOf(replayed)).toEqual([commit?.spanId]);
  expect(sent.map(spansOf)).toEqual([...Array.from({ length: failed }, () => []), [replayed?.spanId]]);

  expect(lines(first, 'request')).toContainEqual(
    expect.objectContaining({ route: '/v1/gate_sessions', trace_id: TRACE, span_id: request?.spanId }),
  );
  expect(lines(second, 'delivery_attempt').map(({ trace_id: id, span_id: span }) => [id, span])).toEqual(
    sent.map(({ spanId }) => [TRACE, spanId]),
  );
  expect(receiver.traceparents).toEqual(sent.map(({ spanId }) => `00-${TRACE}-${spanId}-01`));
  expect(collector.services).toEqual(new Set(['shop-gate']));
});

it.each([
  ['parentbased_traceidratio', '0', [TRACE]],
  ['traceidratio', '0', []],
])(
  '%s of %s samples the share of traces that the server begins, and of the trace of a partner',
  async (name, share, traces) => {
    const collector = await startCollector();
    const server = await readyServer({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER: name,
      OTEL_TRACES_SAMPLER_ARG: share,
    });
    const events = `${server.origins.sandbox}/v1/events`;
    await call(events, KEY);
    await call(events, { ...KEY, traceparent: `00-${TRACE}-${PARTNER_SPAN}-01` });
    server.process.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    const requests = collector.spans.filter(({ name: span }) => span === 'GET /v1/events');
    expect(requests.map(({ traceId }) => traceId)).toEqual(traces);
  },
);

it('serves and stops as usual while no collector listens', async () => {
  const server = await readyServer({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  const { status } = await call(`${server.origins.sandbox}/v1/events`, { authorization: 'Bearer sk_test_x' });
  expect(status).toBe(401);
  await eventually(async () => (server.stderr().includes('"place":"traces"') ? true : null));
  server.process.kill('SIGTERM');
  expect(await server.exited).toBe(0);
});

/** The lines of the log with this message. */
const lines = (server: ReadyServer, message: string): readonly Readonly<Record<string, unknown>>[] =>
  server
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
    .filter(({ msg }) => msg === message);

function seedFile(webhookUrl: string): string {
  const path = join(scratchFolder('gate-traces-'), 'seed.json');
  const test = {
    secret_keys: [SECRET_KEY],
    webhook_url: webhookUrl,
    webhook_secret: 'whsec_traces_webhook_secret',
  };
  const partner = { id: '65f0c0ffee65f0c0ffee0001', name: 'Acme', allowed_origins: ['https://shop.example'], test };
  writeFileSync(path, JSON.stringify({ partners: [partner] }));
  return path;
}
