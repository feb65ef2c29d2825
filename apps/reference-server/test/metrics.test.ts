import type { Provider } from '@gateramp/core/ports';
import { silentTelemetry } from '@gateramp/core/runtime';
import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { expect, it } from 'vitest';
import { countedTelemetry, countRequest } from '../src/metrics/counted.js';
import { countedProvider } from '../src/metrics/counted-provider.js';
import { openMetrics } from '../src/metrics/metrics.js';

it('every outcome that an alarm may watch is there from the start, at zero', async () => {
  const metrics = openMetrics();
  countedProvider(sandboxProvider(), metrics);
  const text = await metrics.registry.metrics();
  for (const series of [
    'gate_commits_total{outcome="unknown"} 0',
    'gate_commits_total{outcome="in_progress"} 0',
    'gate_payments_total{mode="live",outcome="failed"} 0',
    'gate_payments_total{mode="test",outcome="completed"} 0',
    'gate_provider_errors_total{provider="sandbox",call="start"} 0',
    'gate_failures_total{kind="outage"} 0',
  ])
    expect(text).toContain(series);
});

it('the time of a request is reported by its method and outcome', async () => {
  const metrics = openMetrics();
  const asked = { requestId: null, partnerId: null, mode: 'test', route: '/v1/gate_sessions', durationMs: 4 } as const;
  countRequest(metrics, { ...asked, method: 'POST', status: 201 });
  countRequest(metrics, { ...asked, method: 'POST', status: 429 });
  countRequest(metrics, { ...asked, method: 'GET', status: 503 });
  const text = await metrics.registry.metrics();
  const counted = (method: string, outcome: string): string =>
    `gate_http_request_duration_seconds_count{mode="test",method="${method}",route="/v1/gate_sessions",outcome="${outcome}"} 1`;
  for (const series of [counted('POST', 'success'), counted('POST', 'refused'), counted('GET', 'error')])
    expect(text).toContain(series);
});

it('first attempts are counted by their outcome and wait, and payments whose money is held by their mode', async () => {
  const metrics = openMetrics();
  const telemetry = countedTelemetry(silentTelemetry(), metrics);
  const attempt = { mode: 'live', error: null, duration_ms: 4 };
  telemetry.note('delivery_attempt', { ...attempt, status: 'retrying', waited_ms: 20 });
  telemetry.note('delivery_attempt', { ...attempt, status: 'delivered', waited_ms: null });
  telemetry.note('delivery_attempt', { ...attempt, status: 'lease_lost', waited_ms: 20 });
  telemetry.alarm('session_held_too_long', { mode: 'live' });
  telemetry.alarm('charged_back', { mode: 'live' });
  const text = await metrics.registry.metrics();
  for (const series of [
    'gate_first_attempt_wait_seconds_bucket{le="0.01",mode="live",outcome="failed"} 0',
    'gate_first_attempt_wait_seconds_bucket{le="0.025",mode="live",outcome="failed"} 1',
    'gate_first_attempt_wait_seconds_count{mode="live",outcome="failed"} 1',
    'gate_first_attempt_wait_seconds_count{mode="live",outcome="delivered"} 0',
    'gate_held_payments_total{mode="live"} 1',
    'gate_held_payments_total{mode="test"} 0',
  ])
    expect(text).toContain(series);
});

it('a call of a provider that throws is counted by its name, and throws all the same', async () => {
  const metrics = openMetrics();
  const broken: Provider = { ...sandboxProvider(), start: () => Promise.reject(new Error('down')) };
  const provider = countedProvider(broken, metrics);
  // The operation does not matter: it is down.
  await expect(provider.start({} as Parameters<Provider['start']>[0])).rejects.toThrow('down');
  expect(await metrics.registry.metrics()).toContain('gate_provider_errors_total{provider="sandbox",call="start"} 1');
});

it('calls that a provider may leave out are counted where it has them', async () => {
  const metrics = openMetrics();
  const { refund, lookupRefund, ...without } = sandboxProvider();
  expect(Object.keys(countedProvider(without, metrics))).not.toContain('refund');
  const broken: Provider = { ...without, lookupRefund, refund: () => Promise.reject(new Error('down')) };
  const provider = countedProvider(broken, metrics);
  // The order does not matter: it is down.
  await expect(provider.refund?.({} as Parameters<typeof refund>[0])).rejects.toThrow('down');
  expect(await metrics.registry.metrics()).toContain('gate_provider_errors_total{provider="sandbox",call="refund"} 1');
});
