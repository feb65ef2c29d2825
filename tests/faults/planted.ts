/** One mistake in a store: the original text, and a plausible mistake that replaces it. */
export interface Fault {
  readonly title: string;
  /** Relative to the folder of its suite. */
  readonly file: string;
  readonly instead: string;
  readonly of: string;
}

/** Mistakes in one file, as `[title, of, instead]`. The text of `of` occurs in the file once. */
export function faultsOf(file: string, faults: readonly (readonly [string, string, string])[]): readonly Fault[] {
  return faults.map(([title, of, instead]) => ({ title, file, of, instead }));
}

/** The file with the mistake. Throws if the text does not occur exactly once: the fault has to be rewritten. */
export function plantedIn(text: string, { title, of, instead, file }: Fault): string {
  const found = text.split(of).length - 1;
  if (found !== 1) throw new Error(`The fault "${title}" looks for a text that ${file} has ${found} times: ${of}`);
  return text.replace(of, () => instead);
}
