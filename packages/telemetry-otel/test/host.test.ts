import { createTestGate, ACCEPTED } from '@gateramp/testing';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recorded, traceparentOf } from './recorded.js';

/** The context of a host that has registered its SDK. */
const manager = new AsyncLocalStorageContextManager();
beforeAll(() => void context.setGlobalContextManager(manager.enable()));
afterAll(() => context.disable());

/** The tracer of the host's own code. */
const host = new BasicTracerProvider().getTracer('host');

it('requests and calls in process are parts of the current span of the host, whatever traceparent was sent', async () => {
  const traced = recorded();
  const t = await createTestGate({ ports: { tracer: traced.tracer } });
  const span = host.startSpan('checkout');
  await context.with(trace.setSpan(context.active(), span), async () => {
    await t.createSession();
    await t.request('GET', '/v1/events', {
      key: t.keys.secret.test,
      headers: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
    });
  });
  for (const name of ['createSession', 'GET /v1/events'])
    expect(traced.span(name).parentSpanContext).toMatchObject({ spanId: span.spanContext().spanId });
});

it('a consumer runs within its span, and a webhook is sent where HTTP instrumentation is suppressed', async () => {
  const traced = recorded();
  const t = await createTestGate({ ports: { tracer: traced.tracer } });
  const seen: { consumer?: string | undefined; instrumentation?: boolean } = {};
  t.gate.on('gate_session.created', 'reserve', () => {
    seen.consumer = trace.getActiveSpan()?.spanContext().spanId;
  });
  t.receiver.answerWith(() => {
    // What the instrumentation of an HTTP client does.
    seen.instrumentation = host.startSpan('POST').isRecording();
    return ACCEPTED;
  });
  await t.createSession();
  await t.gate.runDue();
  const { spanId } = traced.span('process gate_session.created').spanContext();
  expect(seen).toEqual({ consumer: spanId, instrumentation: false });
  expect(traced.span('process gate_session.created').attributes['messaging.consumer.group.name']).toBe('reserve');
});

it('a delivery continues its own trace although the request that woke the worker is current', async () => {
  const traced = recorded();
  const t = await createTestGate({ ports: { tracer: traced.tracer } });
  await t.createSession();
  await context.with(trace.setSpan(context.active(), host.startSpan('another request')), () => t.gate.runDue());
  const send = traced.span('send gate_session.created');
  expect(send.spanContext().traceId).toBe(traced.span('createSession').spanContext().traceId);
  expect(t.deliveries().map(({ headers }) => headers['traceparent'])).toEqual([traceparentOf(send)]);
});
