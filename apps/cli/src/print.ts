import { escapeUnprintable } from './printable.js';
import { paint, type Terminal } from './terminal.js';

/** Prints rows in columns, or, with `--json`, one value per line. */
export function printRows<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
  { json }: { readonly json?: boolean },
  { out }: Terminal,
): void {
  if (json === true) return rows.forEach((row) => out(JSON.stringify(row)));
  const cells = [columns, ...rows.map((row) => columns.map((column) => textOf(row[column])))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  cells.forEach((line, number) => {
    const text = line
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd();
    out(number === 0 ? paint('grey', text) : text);
  });
}

/** Prints one object: indented, or, with `--json`, on one line. */
export function printOne(value: object, { json }: { readonly json?: boolean }, { out }: Terminal): void {
  if (json === true) return out(JSON.stringify(value));
  for (const line of JSON.stringify(value, null, 2).split('\n')) out(line);
}

/** Escaped before it is measured, so that the columns align. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return escapeUnprintable(typeof value === 'string' ? value : JSON.stringify(value));
}
