/** The share of traces to sample, and whether the decision of a caller comes first. */
interface TraceShare {
  readonly share: number;
  readonly followsParent: boolean;
}

/** What OpenTelemetry's variables say; null for another kind of sampler, and for a share that the SDK reports as invalid. */
export function traceShareOfProcess(): TraceShare | null {
  const { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: text = '' } = process.env;
  const share = Number(text);
  if (text.trim() === '' || !(share >= 0 && share <= 1)) return null;
  if (name !== 'traceidratio' && name !== 'parentbased_traceidratio') return null;
  return { share, followsParent: name === 'parentbased_traceidratio' };
}
