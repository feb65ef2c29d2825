import {
  type Span,
  type SpanEnd,
  type SpanStart,
  type Telemetry,
  type TraceContext,
  traceContextOf,
  type Tracer,
} from '../ports/edge.js';
import type { Provider } from '../ports/provider.js';
import type { Engine, Trace } from './engine.js';

/** A trace outside of any span. Errors of the tracer are reported and have no other effect. */
export function newTrace(tracer: Tracer, telemetry: Telemetry): Trace {
  const guarded = <Value>(work: () => Value): Value | null => {
    try {
      return work();
    } catch (error) {
      telemetry.failure(error, { place: 'tracer' });
      return null;
    }
  };
  return {
    start: (start) => {
      const span = guarded(() => tracer.start(start));
      // An invalid context would make the header of a webhook invalid.
      const context = span === null ? null : traceContextOf(span.traceparent, span.tracestate);
      return span === null || context === null ? null : new GuardedSpan(span, context, guarded);
    },
    hostSpan: () => {
      const current = guarded(() => tracer.current());
      return current === null ? null : traceContextOf(current.traceparent, current.tracestate);
    },
    current: null,
    isRecorded: false,
  };
}

/** A span whose errors are only reported. A class, because an object literal with a spread takes V8 microseconds to create. */
class GuardedSpan implements Span {
  readonly traceparent: string;
  declare readonly tracestate?: string;
  readonly isRecorded: boolean;

  constructor(
    private readonly span: Span,
    { traceparent, tracestate }: TraceContext,
    private readonly guarded: (work: () => void) => unknown,
  ) {
    this.traceparent = traceparent;
    if (tracestate !== undefined) this.tracestate = tracestate;
    this.isRecorded = span.isRecorded;
  }

  run<Value>(work: () => Promise<Value>): Promise<Value> {
    // The work runs once, whether or not the tracer calls it, and its result is not the tracer's.
    let running: Promise<Value> | null = null;
    const run = (): Promise<Value> => (running ??= work());
    this.guarded(() => void this.span.run(run).catch(ignore));
    return run();
  }

  end(result: SpanEnd): void {
    this.guarded(() => this.span.end(result));
  }
}

function ignore(): void {}

/** The end of a span, by the value of its work. */
type EndOf<Value> = (value: Value) => SpanEnd;

/** Whether parts of the work get spans of their own. Checked before their closures are made, since most requests are not sampled. */
export function isRecorded({ trace }: Engine): boolean {
  return trace !== null && trace.isRecorded;
}

/** Runs a part of the current trace in a span of its own. If the trace is not recorded, only runs it. */
export function traced<Value>(
  engine: Engine,
  name: string,
  work: (within: Engine) => Promise<Value>,
  endOf?: EndOf<Value>,
  linksOf: () => readonly TraceContext[] = () => [],
): Promise<Value> {
  const { trace } = engine;
  if (trace === null || !trace.isRecorded) return work(engine);
  const start = { name, kind: 'internal', parent: trace.current, links: linksOf(), attributes: {} } as const;
  return inSpan(engine, start, work, endOf);
}

/** Runs a call of the host in a span within the host's current one. */
export function entered<Value>(engine: Engine, name: string, work: (within: Engine) => Promise<Value>): Promise<Value> {
  if (engine.trace === null) return work(engine);
  return inSpan(engine, { name, kind: 'internal', parent: engine.trace.hostSpan(), attributes: {} }, work);
}

/** Runs work in the span, if there is a tracer. */
export async function inSpan<Value>(
  engine: Engine,
  start: SpanStart,
  work: (within: Engine) => Promise<Value>,
  endOf?: EndOf<Value>,
): Promise<Value> {
  const { trace } = engine;
  const span = trace?.start(start) ?? null;
  if (trace === null || span === null) return work(engine);
  const { providers, telemetry, trace: within } = partsWithin(engine, traceIn(trace, span));
  return runIn(span, async () => work({ ...engine, trace: within, providers, telemetry }), endOf);
}

async function runIn<Value>(span: Span, work: () => Promise<Value>, endOf: EndOf<Value> = ended): Promise<Value> {
  try {
    const value = await span.run(work);
    if (span.isRecorded) span.end(endOf(value));
    return value;
  } catch (error) {
    if (span.isRecorded) span.end({ attributes: {}, errorType: errorName(error) });
    throw error;
  }
}

/** Messages of errors may contain data of others, so only the name is recorded. */
export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : 'Error';
}

function ended(): SpanEnd {
  return { attributes: {}, errorType: null };
}

/** The trace within a span. */
export function traceIn({ start, hostSpan }: Trace, { traceparent, tracestate, isRecorded }: Span): Trace {
  const current = tracestate === undefined ? { traceparent } : { traceparent, tracestate };
  return { start, hostSpan, current, isRecorded };
}

/** The parts of the engine that differ within a span: providers have a span for each call, and lines of the log name it. */
export function partsWithin(engine: Engine, trace: Trace): Pick<Engine, 'trace' | 'providers' | 'telemetry'> {
  const { providers, telemetry } = engine;
  if (!trace.isRecorded || trace.current === null) return { trace, providers, telemetry };
  return {
    trace,
    providers: providers.map((one) => tracedProvider(trace, one)),
    telemetry: withFields(telemetry, traceFieldsOf(trace.current)),
  };
}

/** What a log calls a span. */
export interface TraceFields {
  readonly trace_id: string;
  readonly span_id: string;
}

export function traceFieldsOf({ traceparent }: TraceContext): TraceFields {
  return { trace_id: traceparent.slice(3, 35), span_id: traceparent.slice(36, 52) };
}

/** Fields of the line itself take precedence: those of an inner span. */
function withFields(telemetry: Telemetry, added: TraceFields): Telemetry {
  return {
    alarm: (name, fields) => telemetry.alarm(name, { ...added, ...fields }),
    failure: (error, fields) => telemetry.failure(error, { ...added, ...fields }),
    note: (name, fields) => telemetry.note(name, { ...added, ...fields }),
  };
}

function tracedProvider(trace: Trace, provider: Provider): Provider {
  return new Proxy(provider, {
    get: (target, member) => {
      const value: unknown = Reflect.get(target, member, target);
      if (typeof value !== 'function' || typeof member !== 'string') return value;
      return (...given: unknown[]): unknown => {
        const call = async (): Promise<unknown> => Reflect.apply(value, target, given);
        const { name } = target;
        const attributes = { 'gateramp.provider.name': name, 'gateramp.provider.call': member };
        const span = trace.start({ name: `${member} ${name}`, kind: 'internal', parent: trace.current, attributes });
        return span === null ? call() : runIn(span, call);
      };
    },
  });
}
