export { otelTracer, type OtelTracerOptions } from './otel-tracer.js';
