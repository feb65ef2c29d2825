import { escapeUnprintable } from '@gateramp/core/domain';

let isJson = false;

/** Whether this process's one command prints JSON: then `print` and `printTable` print nothing. */
export function useJson(is: boolean): void {
  isJson = is;
}

/** Prints the result of a command as JSON, with the names of the wire, with `--json`. Otherwise `print` and `printTable` print it. */
export function printResult(value: unknown): void {
  if (isJson) printJson(value);
}

/** Prints rows in aligned columns below their titles, except with `--json`. */
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

/**
 * Prints one line of a result, except with `--json`. Names and references are untrusted text: their control and format characters are
 * escaped.
 */
export function print(line: string): void {
  if (!isJson) printLine(line);
}

/** Prints JSON with the names of the wire, for commands that have no other format. */
export function printJson(value: unknown): void {
  JSON.stringify(wireValue(value), null, 2).split('\n').forEach(printLine);
}

function printLine(line: string): void {
  process.stdout.write(`${escapeUnprintable(line)}\n`);
}

/** Members whose own members are data, such as codes of assets. */
const MAPS: ReadonlySet<string> = new Set(['metadata', 'balances', 'sent_today', 'by_type']);

/** The value with snake_case names. */
function wireValue(value: unknown, isMap = false): unknown {
  if (Array.isArray(value)) return value.map((one) => wireValue(one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (isMap) return [name, member];
      const wireName = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return [wireName, wireValue(member, MAPS.has(wireName))];
    }),
  );
}

/** Prints lines that are not a result: notes, warnings, errors. */
export function printNote(text: string): void {
  for (const line of text.split('\n')) process.stderr.write(`${escapeUnprintable(line)}\n`);
}

/** The time as text, "-" for null. */
export function moment(instant: number | null): string {
  return momentOrNull(instant) ?? '-';
}

/** The time as JSON contains it. */
export function momentOrNull(instant: number | null | undefined): string | null {
  return instant === null || instant === undefined ? null : new Date(instant).toISOString();
}

/** A duration in its two largest units, such as "3h 5m". */
export function span(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [Math.floor(seconds) % 60, 's'],
  ] as const;
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first === -1) return '0s';
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount}${unit}`)
    .join(' ');
}
