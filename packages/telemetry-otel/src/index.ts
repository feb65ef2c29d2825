export { otelTracer, type OtelTracerOptions } from './otel-tracer.js';
export { rootSampling, type RootSampler, type RootSampling, type TraceIds } from './root-sampling.js';
