import { isTraceparent, type Span, type SpanEnd, type SpanStart, type Telemetry, type Tracer } from '../ports/edge.js';
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
      return span === null || !isTraceparent(span.traceparent) ? null : guardedSpan(span, guarded);
    },
    hostSpan: () => {
      const current = guarded(() => tracer.current());
      return current === null || !isTraceparent(current) ? null : current;
    },
    current: null,
    isRecorded: false,
  };
}

function guardedSpan(span: Span, guarded: (work: () => void) => unknown): Span {
  return {
    traceparent: span.traceparent,
    isRecorded: span.isRecorded,
    run: (work) => {
      // The work runs once, whether or not the tracer calls it, and its result is not the tracer's.
      let running: ReturnType<typeof work> | null = null;
      const run = (): ReturnType<typeof work> => (running ??= work());
      guarded(() => void span.run(run));
      return run();
    },
    end: (result) => void guarded(() => span.end(result)),
  };
}

/** Describes the end of a span by the value of its work. */
interface Ending<Value> {
  readonly endOf?: (value: Value) => SpanEnd;
}

/** Runs a part of the current trace in a span of its own. If the trace is not recorded, only runs it. */
export function traced<Value>(
  engine: Engine,
  name: string,
  work: (within: Engine) => Promise<Value>,
  { endOf, attributes = {} }: Ending<Value> & Partial<Pick<SpanStart, 'attributes'>> = {},
): Promise<Value> {
  const { trace } = engine;
  if (trace === null || !trace.isRecorded) return work(engine);
  return inSpan(engine, { name, kind: 'internal', parent: trace.current, attributes }, work, { endOf });
}

/** Runs work in the span, if there is a tracer. */
export async function inSpan<Value>(
  engine: Engine,
  start: SpanStart,
  work: (within: Engine) => Promise<Value>,
  { endOf = ended }: { readonly endOf?: ((value: Value) => SpanEnd) | undefined } = {},
): Promise<Value> {
  const span = engine.trace?.start(start) ?? null;
  if (span === null) return work(engine);
  try {
    const value = await span.run(async () => work(engineWithin(engine, span)));
    span.end(endOf(value));
    return value;
  } catch (error) {
    span.end({ attributes: {}, errorType: errorName(error) });
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

/** The engine for work within a span. */
export function engineWithin(engine: Engine, { traceparent, isRecorded }: Span): Engine {
  if (engine.trace === null) return engine;
  const within = { ...engine, trace: { ...engine.trace, current: traceparent, isRecorded } };
  return isRecorded ? { ...within, providers: engine.providers.map((one) => tracedProvider(within, one)) } : within;
}

/** The same provider, with a span for each call. */
function tracedProvider(engine: Engine, provider: Provider): Provider {
  return new Proxy(provider, {
    get: (target, member) => {
      const value: unknown = Reflect.get(target, member, target);
      if (typeof value !== 'function' || typeof member !== 'string') return value;
      return (...given: unknown[]) =>
        traced(engine, `${member} ${target.name}`, async (): Promise<unknown> => Reflect.apply(value, target, given), {
          attributes: { 'gateramp.provider.name': target.name, 'gateramp.provider.call': member },
        });
    },
  });
}
