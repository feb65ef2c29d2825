import type { AlarmName, Telemetry } from '@gateramp/core/ports';

type Fields = Readonly<Record<string, string | number | null>>;

/** Records everything that operators would see, for tests. */
export interface TestTelemetry extends Telemetry {
  readonly alarms: readonly { readonly name: AlarmName; readonly fields: Fields }[];
  readonly failures: readonly { readonly error: unknown; readonly fields: Fields }[];
  readonly notes: readonly { readonly name: string; readonly fields: Fields }[];
}

/** Creates telemetry that records everything it receives. */
export function testTelemetry(): TestTelemetry {
  const alarms: { name: AlarmName; fields: Fields }[] = [];
  const failures: { error: unknown; fields: Fields }[] = [];
  const notes: { name: string; fields: Fields }[] = [];
  return {
    alarms,
    failures,
    notes,
    alarm: (name, fields) => void alarms.push({ name, fields }),
    failure: (error, fields) => void failures.push({ error, fields }),
    note: (name, fields) => void notes.push({ name, fields }),
  };
}
