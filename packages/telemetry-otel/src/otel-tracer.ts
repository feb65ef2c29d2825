import type { Span, SpanEnd, SpanStart, TraceContext, Tracer } from '@gateramp/core/ports';
import {
  type Context,
  context,
  createContextKey,
  createTraceState,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer as OtelTracer,
} from '@opentelemetry/api';

/** Where spans are started. */
export interface OtelTracerOptions {
  /** By default, the tracer `@gateramp/core` of the global provider, which may be registered later. */
  readonly tracer?: OtelTracer;
}

/** Records the gate's traces with the OpenTelemetry SDK of the host. Without an SDK it records nothing. */
export function otelTracer({ tracer = trace.getTracer('@gateramp/core') }: OtelTracerOptions = {}): Tracer {
  return {
    current: () => {
      const current = trace.getSpanContext(context.active());
      return current !== undefined && isSpanContextValid(current) ? contextOf(current) : null;
    },
    start: ({ name, kind, parent, links = [], attributes }) => {
      const options = { kind: KINDS[kind], attributes, links: links.map((link) => ({ context: spanContextOf(link) })) };
      const span = tracer.startSpan(name, options, parentContextOf(parent));
      // A trace that is not sampled and that nobody else began has no readers.
      return parent === null && !span.isRecording() ? null : started(span, kind);
    },
  };
}

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const satisfies Record<SpanStart['kind'], SpanKind>;

function started(span: OtelSpan, kind: SpanStart['kind']): Span {
  return {
    ...contextOf(span.spanContext()),
    isRecorded: span.isRecording(),
    run: (work) => context.with(runContext(span, kind), work),
    end: (result) => end(span, result),
  };
}

/** What OpenTelemetry's instrumentations look up to record nothing and to inject no headers; `suppressTracing` sets the same. */
const SUPPRESSED = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

/** The instrumentation of an HTTP client would add a second span and a second `traceparent` header to a webhook. */
function runContext(span: OtelSpan, kind: SpanStart['kind']): Context {
  const within = trace.setSpan(context.active(), span);
  return kind === 'client' ? within.setValue(SUPPRESSED, true) : within;
}

function end(span: OtelSpan, { attributes, errorType }: SpanEnd): void {
  if (span.isRecording()) {
    span.setAttributes(attributes);
    if (errorType !== null) span.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

function contextOf({ traceId, spanId, traceFlags, traceState }: SpanContext): TraceContext {
  const traceparent = `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, '0')}`;
  return traceState === undefined ? { traceparent } : { traceparent, tracestate: traceState.serialize() };
}

function spanContextOf({ traceparent, tracestate }: TraceContext): SpanContext {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  const remote = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return tracestate === undefined ? remote : { ...remote, traceState: createTraceState(tracestate) };
}

/** A worker's active context may be that of whichever request woke it, so only the given parent counts. */
function parentContextOf(parent: TraceContext | null): Context {
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContextOf(parent));
}
