import type { Reading } from './reading.js';

interface CounterRow {
  readonly name: string;
  readonly value: string;
}

export function counterReads(reading: Reading, schema: string) {
  // One statement sees one moment: what a commit has moved is seen in all of them or in none.
  const text = `select name, trim_scale(value)::text as value from "${schema}".counters where name = any($1::text[])`;
  return async (names: readonly string[]): Promise<readonly string[]> => {
    const rows = await reading.find<CounterRow>(text, [names]);
    const values = new Map(rows.map(({ name, value }) => [name, value]));
    return names.map((name) => values.get(name) ?? '0');
  };
}
