import { escapeUnprintable } from '@gateramp/core/domain';

/** Rows under their titles, as wide as they need. */
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

/** Writes one line of a result. Names and references were written by others: their control and format characters are escaped. */
export function print(line: string): void {
  process.stdout.write(`${escapeUnprintable(line)}\n`);
}

export function printJson(value: unknown): void {
  JSON.stringify(value, null, 2).split('\n').forEach(print);
}

/** Writes lines that are not a result: notes, warnings, errors. */
export function printNote(text: string): void {
  for (const line of text.split('\n')) process.stderr.write(`${escapeUnprintable(line)}\n`);
}

/** The moment as text, "-" where there is none. */
export function moment(instant: number | null): string {
  return instant === null ? '-' : new Date(instant).toISOString();
}
