import { VERSION } from '@gateramp/core/http';
import type { Tracer } from '@gateramp/core/ports';
import { atMost } from '@gateramp/core/runtime';
import { otelTracer, rootSampling } from '@gateramp/telemetry-otel';
import { diag, DiagLogLevel } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import { traceShareOfProcess } from './config/config.js';

const CLOSE_MAX_MS = 2_000;

export interface Traces {
  readonly tracer: Tracer;
  /** Sends what has been recorded. Gives up after two seconds: a collector that is down must not delay the end of the process. */
  close(): Promise<void>;
}

/**
 * Sends spans by OTLP over HTTP. The SDK reads the standard variables itself: endpoint, headers, sampler, limits and batches. Imported only
 * by a server that is configured to send traces.
 */
export function openTraces(onError: (error: unknown, place: string) => void): Traces {
  const report = (message: string): void => onError(new Error(message), 'traces');
  const ignore = (): void => undefined;
  // An export that fails is reported here and nowhere else.
  diag.setLogger({ error: report, warn: report, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.WARN);
  const named = resourceFromAttributes({ 'service.name': 'gateramp', 'service.version': VERSION });
  const sampler = ratioSampler();
  const sampling = sampler === null ? null : rootSampling(sampler, new RandomIdGenerator());
  const provider = new BasicTracerProvider({
    ...(sampler === null || sampling === null ? {} : { sampler, idGenerator: sampling.idGenerator }),
    // What OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES name takes precedence.
    resource: named.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  return {
    tracer: otelTracer({
      tracer: provider.getTracer('@gateramp/core', VERSION),
      ...(sampling === null ? {} : { sampling }),
    }),
    close: async () => {
      const sent = provider.shutdown().catch((error: unknown) => onError(error, 'traces'));
      await atMost(CLOSE_MAX_MS, sent);
    },
  };
}

/** The sampler that takes a share, as the SDK would make it; null for any other, of which no request is cheaper for asking first. */
function ratioSampler(): Sampler | null {
  const taken = traceShareOfProcess();
  if (taken === null) return null;
  const sampler = new TraceIdRatioBasedSampler(taken.share);
  return taken.followsParent ? new ParentBasedSampler({ root: sampler }) : sampler;
}
