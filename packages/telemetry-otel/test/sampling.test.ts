import { createTestGate, type TestGate } from '@gateramp/testing';
import { isTraceparent, readTracestate, type Span, traceContextOf, type Tracer } from '@gateramp/core/ports';
import { createTraceState, ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  SamplingDecision,
} from '@opentelemetry/sdk-trace-base';
import { fc } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../tests/depth.js';
import { rootSampling } from '../src/index.js';
import { recorded } from './recorded.js';

const { NOT_RECORD, RECORD_AND_SAMPLED } = SamplingDecision;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

async function createWith(t: TestGate, traceparent: string | null, key = 'an-order'): Promise<number> {
  const created = await t.request('POST', '/v1/gate_sessions', {
    key: t.keys.secret.test,
    idempotencyKey: key,
    headers: traceparent === null ? {} : { traceparent },
    body: { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' },
  });
  return created.status;
}

const contexts = (t: TestGate) => t.deliveries().map(({ headers }) => headers['traceparent']);

describe('a trace that is not sampled', () => {
  it('has no spans, and its context is neither stored nor sent', async () => {
    const traced = recorded(new AlwaysOffSampler());
    const t = await createTestGate({ ports: { tracer: traced.tracer } });
    await createWith(t, null);
    await t.gate.runDue();
    expect([traced.spans(), contexts(t)]).toEqual([[], [undefined]]);
  });

  it('is passed on to the receiver if the partner began it', async () => {
    const traced = recorded(new ParentBasedSampler({ root: new AlwaysOffSampler() }));
    const t = await createTestGate({ ports: { tracer: traced.tracer } });
    await createWith(t, `00-${TRACE}-${SPAN}-00`);
    await t.gate.runDue();
    expect(traced.spans()).toEqual([]);
    expect(contexts(t)).toEqual([expect.stringMatching(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`))]);
  });
});

describe('a sampler that is asked before a span is made', () => {
  /** Samples the trace ids that end with an even digit, as far as the parent does not decide. */
  const even: Sampler = {
    shouldSample: (_, traceId) => ({
      decision: Number.parseInt(traceId.slice(-1), 16) % 2 === 0 ? RECORD_AND_SAMPLED : NOT_RECORD,
    }),
    toString: () => 'even',
  };

  it('samples what the provider would, by the id that it was asked about, and makes no span of anything else', async () => {
    const sampler = new ParentBasedSampler({ root: even });
    const made = { traces: [] as string[], spans: 0 };
    const ids = new RandomIdGenerator();
    const sampling = rootSampling(sampler, {
      generateTraceId: () => {
        made.traces.push(ids.generateTraceId());
        return made.traces.at(-1) ?? '';
      },
      generateSpanId: () => {
        made.spans += 1;
        return ids.generateSpanId();
      },
    });
    const traced = recorded(sampler, sampling);
    const t = await createTestGate({ ports: { tracer: traced.tracer } });
    const before = made.traces.length;
    for (let nth = 0; nth < 40; nth += 1) await createWith(t, null, `order-${nth}`);
    const asked = made.traces.slice(before);
    expect(asked).toHaveLength(40);
    const requests = traced.spans().filter(({ name }) => name === 'POST /v1/gate_sessions');
    expect(requests.map((span) => span.spanContext().traceId)).toEqual(
      asked.filter((id) => even.shouldSample(ROOT_CONTEXT, id, '', SpanKind.SERVER, {}, []).decision !== NOT_RECORD),
    );
    expect([requests.length > 5, requests.length < 35]).toEqual([true, true]);
    expect(made.spans).toBe(traced.spans().length);
  });

  it('is not asked about the trace of a caller', async () => {
    const sampler = new ParentBasedSampler({ root: new AlwaysOffSampler() });
    const traced = recorded(sampler, rootSampling(sampler, new RandomIdGenerator()));
    const t = await createTestGate({ ports: { tracer: traced.tracer } });
    await createWith(t, `00-${TRACE}-${SPAN}-01`);
    expect(traced.span('POST /v1/gate_sessions').spanContext().traceId).toBe(TRACE);
  });
});

it('a process without a tracer sends the context that the event was created in', async () => {
  const traced = recorded();
  const t = await createTestGate({ ports: { tracer: traced.tracer } });
  await createWith(t, `00-${TRACE}-${SPAN}-01`);
  const { tracer: _, ...ports } = t.ports;
  const other = await createTestGate({ ports });
  await other.gate.runDue();
  const commit = traced.span('commit').spanContext();
  expect(contexts(t)).toEqual([`00-${TRACE}-${commit.spanId}-01`]);
});

const hex = (length: number) =>
  fc.array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length }).map((all) => all.join(''));

/** Valid and nearly valid headers: other versions, zeros, capitals, lists, spaces, other lengths. */
const header = fc.oneof(
  fc
    .tuple(fc.constantFrom('00', '00', '01', 'ff'), fc.oneof(hex(32), fc.constant('0'.repeat(32))), hex(16), hex(2))
    .map((parts) => parts.join('-')),
  fc.constantFrom(
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-extra`,
    `00-${TRACE}-${SPAN}-01,00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE}-${SPAN}`,
    '',
  ),
  fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) }),
);

/** As the specification of W3C Trace Context says it, part by part. */
function traceIdOf(sent: string): string | null {
  const [version, traceId = '', spanId = '', flags = '', ...rest] = sent.split('-');
  const isHex = (text: string, length: number) =>
    text.length === length && [...text].every((digit) => '0123456789abcdef'.includes(digit));
  if (version !== '00' || rest.length > 0 || !isHex(traceId, 32) || !isHex(spanId, 16) || !isHex(flags, 2)) return null;
  return /[^0]/.test(traceId) && /[^0]/.test(spanId) ? traceId : null;
}

it('a request joins the trace of a valid traceparent, and any other header begins a new one', async () => {
  const traced = recorded(new AlwaysOnSampler());
  const t = await createTestGate({ ports: { tracer: traced.tracer } });
  let made = 0;
  await fc.assert(
    fc.asyncProperty(header, async (sent) => {
      expect(await createWith(t, sent, `order-${(made += 1)}`)).toBe(201);
      const request = traced.spans().findLast(({ name }) => name === 'POST /v1/gate_sessions');
      const traceId = traceIdOf(sent);
      expect(isTraceparent(sent)).toBe(traceId !== null);
      if (traceId === null) expect(request?.parentSpanContext).toBeUndefined();
      else expect(request?.spanContext().traceId).toBe(traceId);
    }),
    { numRuns: runs(200, 2_000) },
  );
});

/** Members of a `tracestate`, valid and nearly valid: long ones, capitals, equals signs, tenants, and spaces around them. */
const member = fc
  .tuple(
    fc.constantFrom('a', 'b', 'vendor', 'f00@sys', '0@sys', '0', 'A', 'a b', ''),
    fc.constantFrom('', '=', '=='),
    fc.oneof(fc.constantFrom('1', 'x'.repeat(129), 'x'.repeat(256), 'x'.repeat(257), 'é', 'a=b', '\t'), fc.string()),
    fc.constantFrom('', ' ', '\t '),
  )
  .map(([key, equals, value, space]) => `${space}${key}${equals}${value}${space}`);

it('a tracestate is passed on if it is valid, without members that make it too long, and never without a traceparent', () => {
  fc.assert(
    fc.property(fc.array(member, { maxLength: 40 }), (members) => {
      const kept = readTracestate(members.join(','));
      expect(traceContextOf(null, members.join(','))).toBeNull();
      if (kept === null) return;
      expect(kept.length).toBeLessThanOrEqual(512);
      expect(kept).toMatch(/^[ -~]+$/);
      // OpenTelemetry reads the same, and drops nothing of it.
      expect(createTraceState(kept).serialize()).toBe(kept);
      const sent = members
        .join(',')
        .split(',')
        .map((one) => one.trim());
      for (const one of kept.split(',')) expect(sent).toContain(one);
    }),
    { numRuns: runs(500, 5_000) },
  );
});

it.each<[string, string | null]>([
  ['vendor=1', 'vendor=1'],
  [' a=1 ,\tb=2,, ', 'a=1,b=2'],
  ['0tenant@sys=x', '0tenant@sys=x'],
  ['a=1,a=2', null],
  ['A=1', null],
  ['a=', null],
  ['a', null],
  ['', null],
  [',', null],
  ['a=1\r\nx-evil: 1', null],
  [Array.from({ length: 33 }, (_, nth) => `k${nth}=1`).join(','), null],
  [
    `a=${'x'.repeat(200)},b=${'y'.repeat(120)},c=${'z'.repeat(120)},d=${'w'.repeat(120)},e=1`,
    `b=${'y'.repeat(120)},c=${'z'.repeat(120)},d=${'w'.repeat(120)},e=1`,
  ],
  [
    Array.from({ length: 6 }, (_, nth) => `k${nth}=${'x'.repeat(100)}`).join(','),
    Array.from({ length: 4 }, (_, nth) => `k${nth}=${'x'.repeat(100)}`).join(','),
  ],
])('reads the tracestate %j', (sent, kept) => {
  expect(readTracestate(sent)).toBe(kept);
});

describe('a tracer that', () => {
  const span: Span = {
    traceparent: `00-${TRACE}-${SPAN}-01`,
    isRecorded: true,
    run: (work) => work(),
    end: () => undefined,
  };
  const fail = (): never => {
    throw new Error('planted');
  };
  const tracer = (broken: Partial<Span>): Tracer => ({ current: () => null, start: () => ({ ...span, ...broken }) });

  it.each<[string, Tracer, reported: boolean]>([
    ['throws in current', { current: fail, start: () => span }, true],
    ['throws in start', { current: () => null, start: fail }, true],
    ['throws in end', tracer({ end: fail }), true],
    ['throws before the work', tracer({ run: fail }), true],
    ['throws after the work has begun', tracer({ run: (work) => (void work(), fail()) }), true],
    ['does not run the work', tracer({ run: () => new Promise(() => undefined) }), false],
    ['rejects after the work', tracer({ run: (work) => work().then(fail) }), false],
    ['runs the work twice', tracer({ run: (work) => (void work(), work()) }), false],
    ['returns an invalid context', tracer({ traceparent: 'x\r\ny' }), false],
    ['returns an invalid tracestate', tracer({ tracestate: 'x\r\ny' }), false],
  ])('%s changes nothing of a purchase', async (_, broken, reported) => {
    const t = await createTestGate({ ports: { tracer: broken } });
    expect(await createWith(t, null)).toBe(201);
    await t.gate.runDue();
    expect(t.deliveries().map(({ type, verified }) => [type, verified])).toEqual([['gate_session.created', true]]);
    expect(t.telemetry.failures.some(({ fields }) => fields['place'] === 'tracer')).toBe(reported);
    expect(t.telemetry.failures.every(({ fields }) => fields['place'] === 'tracer')).toBe(true);
  });
});
