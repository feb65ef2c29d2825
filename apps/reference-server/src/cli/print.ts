import { escapeUnprintable } from '@gateramp/core/domain';

/** Prints rows in aligned columns below their titles. */
export function printTable(titles: readonly string[], given: readonly (readonly string[])[]): void {
  const rows = given.map((row) => row.map(escapeUnprintable));
  const widths = titles.map((title, at) => Math.max(title.length, ...rows.map((row) => (row[at] ?? '').length)));
  for (const row of [titles, ...rows])
    print(
      row
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}

/** Prints one line of a result. Names and references are untrusted text: their control and format characters are escaped. */
export function print(line: string): void {
  process.stdout.write(`${escapeUnprintable(line)}\n`);
}

export function printJson(value: unknown): void {
  JSON.stringify(value, null, 2).split('\n').forEach(print);
}

/** Prints lines that are not a result: notes, warnings, errors. */
export function printNote(text: string): void {
  for (const line of text.split('\n')) process.stderr.write(`${escapeUnprintable(line)}\n`);
}

/** The time as text, "-" for null. */
export function moment(instant: number | null): string {
  return instant === null ? '-' : new Date(instant).toISOString();
}

/** A duration in its two largest units, such as "3h 5m". */
export function span(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first === -1) return '0s';
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount}${unit}`)
    .join(' ');
}
