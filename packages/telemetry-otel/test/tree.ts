import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';

/** Each span by its name, with the name of its parent, or its id if it is not among them. */
export function tree(spans: readonly ReadableSpan[]): readonly string[] {
  const names = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
  return spans.map((span) => {
    const parent = span.parentSpanContext?.spanId;
    return `${span.name} < ${parent === undefined ? 'nothing' : (names.get(parent) ?? parent)}`;
  });
}
