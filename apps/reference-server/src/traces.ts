import { VERSION } from '@gateramp/core/http';
import type { Tracer } from '@gateramp/core/ports';
import { atMost } from '@gateramp/core/runtime';
import { otelTracer } from '@gateramp/telemetry-otel';
import { diag, DiagLogLevel } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';

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
  const provider = new BasicTracerProvider({
    // What OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES name takes precedence.
    resource: named.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  return {
    tracer: otelTracer({ tracer: provider.getTracer('@gateramp/core', VERSION) }),
    close: async () => {
      const sent = provider.shutdown().catch((error: unknown) => onError(error, 'traces'));
      await atMost(CLOSE_MAX_MS, sent);
    },
  };
}
