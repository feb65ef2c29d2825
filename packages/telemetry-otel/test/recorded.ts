import { otelTracer, type RootSampling } from '../src/index.js';
import type { Tracer } from '@gateramp/core/ports';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';

/** A tracer whose ended spans can be read. */
export interface Recorded {
  readonly tracer: Tracer;
  readonly spans: () => readonly ReadableSpan[];
  /** The only ended span of that name. */
  readonly span: (name: string) => ReadableSpan;
}

/** Records spans by the SDK of OpenTelemetry, in memory. */
export function recorded(sampler?: Sampler, sampling?: RootSampling): Recorded {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
    ...(sampler === undefined ? {} : { sampler }),
    ...(sampling === undefined ? {} : { idGenerator: sampling.idGenerator }),
  });
  const spans = () => exporter.getFinishedSpans();
  return {
    tracer: otelTracer({
      tracer: provider.getTracer('test'),
      ...(sampling === undefined ? {} : { sampling }),
    }),
    spans,
    span: (name) => {
      const [found, ...others] = spans().filter((one) => one.name === name);
      if (found === undefined || others.length > 0)
        throw new Error(
          `${name}: ${others.length + (found === undefined ? 0 : 1)} of ${spans()
            .map((one) => one.name)
            .join(', ')}`,
        );
      return found;
    },
  };
}

export const traceparentOf = (span: ReadableSpan): string => {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-0${traceFlags}`;
};
