/** Rows under their titles, as wide as they need. */
export function printTable(titles: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = titles.map((title, at) => Math.max(title.length, ...rows.map((row) => (row[at] ?? '').length)));
  for (const row of [titles, ...rows])
    print(
      row
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** The moment as text, "-" where there is none. */
export function moment(instant: number | null): string {
  return instant === null ? '-' : new Date(instant).toISOString();
}
