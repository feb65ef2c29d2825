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
import type { RootSampling } from './root-sampling.js';

/** Where spans are started. */
export interface OtelTracerOptions {
  /** By default, the tracer `@gateramp/core` of the global provider, which may be registered later. */
  readonly tracer?: OtelTracer;
  /** Halves the cost of requests that are not sampled: `rootSampling(sampler, new RandomIdGenerator())`. */
  readonly sampling?: RootSampling;
}

/** Records the gate's traces with the OpenTelemetry SDK of the host. Without an SDK it records nothing. */
export function otelTracer(options: OtelTracerOptions = {}): Tracer {
  const { tracer = trace.getTracer('@gateramp/core'), sampling } = options;
  return {
    contract: 2,
    current: () => {
      const current = trace.getSpanContext(context.active());
      return current !== undefined && isSpanContextValid(current) ? contextOf(current) : null;
    },
    start: ({ name, kind, parent, links = [], attributes }) => {
      if (parent === null && sampling?.declines(name, KINDS[kind], attributes) === true) return null;
      const options = { kind: KINDS[kind], attributes, links: links.map((link) => ({ context: spanContextOf(link) })) };
      const span = tracer.startSpan(name, options, parentContextOf(parent));
      // A trace that is not sampled and that nobody else began has no readers.
      return parent === null && !span.isRecording() ? null : new StartedSpan(span, kind);
    },
  };
}

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const satisfies Record<SpanStart['kind'], SpanKind>;

/** A class, because an object literal with a spread takes V8 microseconds to create. */
class StartedSpan implements Span {
  readonly traceparent: string;
  declare readonly tracestate?: string;
  readonly isRecorded: boolean;

  constructor(
    private readonly span: OtelSpan,
    private readonly kind: SpanStart['kind'],
  ) {
    const { traceparent, tracestate } = contextOf(span.spanContext());
    this.traceparent = traceparent;
    if (tracestate !== undefined) this.tracestate = tracestate;
    this.isRecorded = span.isRecording();
  }

  run<Value>(work: () => Promise<Value>): Promise<Value> {
    return context.with(runContext(this.span, this.kind), work);
  }

  end({ attributes, errorType }: SpanEnd): void {
    if (this.isRecorded) {
      this.span.setAttributes(attributes);
      if (errorType !== null) this.span.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR });
    }
    this.span.end();
  }
}

/** What OpenTelemetry's instrumentations look up to record nothing and to inject no headers; `suppressTracing` sets the same. */
const SUPPRESSED = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

/** The instrumentation of an HTTP client would add a second span and a second `traceparent` header to a webhook. */
function runContext(span: OtelSpan, kind: SpanStart['kind']): Context {
  const within = trace.setSpan(context.active(), span);
  return kind === 'client' ? within.setValue(SUPPRESSED, true) : within;
}

function contextOf({ traceId, spanId, traceFlags, traceState }: SpanContext): TraceContext {
  const traceparent = `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, '0')}`;
  return traceState === undefined ? { traceparent } : { traceparent, tracestate: traceState.serialize() };
}

function spanContextOf({ traceparent, tracestate }: TraceContext): SpanContext {
  const traceFlags = Number.parseInt(traceparent.slice(53), 16);
  const remote = { traceId: traceparent.slice(3, 35), spanId: traceparent.slice(36, 52), traceFlags, isRemote: true };
  return tracestate === undefined ? remote : { ...remote, traceState: createTraceState(tracestate) };
}

/** A worker's active context may be that of whichever request woke it, so only the given parent counts. */
function parentContextOf(parent: TraceContext | null): Context {
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContextOf(parent));
}
