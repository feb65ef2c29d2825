import { type Context, ROOT_CONTEXT, type SpanAttributes, type SpanKind } from '@opentelemetry/api';

/** The part of the `Sampler` of OpenTelemetry's SDK that is used. */
export interface RootSampler {
  shouldSample(
    context: Context,
    traceId: string,
    name: string,
    kind: SpanKind,
    attributes: SpanAttributes,
    links: [],
  ): { readonly decision: number };
}

/** The `IdGenerator` of OpenTelemetry's SDK. */
export interface TraceIds {
  generateTraceId(): string;
  generateSpanId(): string;
}

/** Decides whether to sample a trace that begins here, before its first span is created. */
export interface RootSampling {
  /** For the provider of the tracer, so that a sampled span gets the trace id that was decided on. */
  readonly idGenerator: TraceIds;
  /** Whether the sampler declines a trace that begins with this span. */
  readonly declines: (name: string, kind: SpanKind, attributes: SpanAttributes) => boolean;
}

/** The `SamplingDecision` of OpenTelemetry's SDK. */
const NOT_RECORD = 0;

/**
 * Asks the sampler before a span is created, which costs half as much as a span that is then not sampled. Give the provider the same
 * sampler and the returned `idGenerator`.
 */
export function rootSampling(sampler: RootSampler, ids: TraceIds): RootSampling {
  let decided: string | null = null;
  return {
    declines: (name, kind, attributes) => {
      const traceId = ids.generateTraceId();
      const { decision } = sampler.shouldSample(ROOT_CONTEXT, traceId, name, kind, attributes, []);
      decided = decision === NOT_RECORD ? null : traceId;
      return decision === NOT_RECORD;
    },
    idGenerator: {
      generateSpanId: () => ids.generateSpanId(),
      generateTraceId: () => {
        const traceId = decided ?? ids.generateTraceId();
        decided = null;
        return traceId;
      },
    },
  };
}
