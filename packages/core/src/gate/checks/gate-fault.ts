/**
 * What a host has handed over cannot be worked with. All that is wrong is said at once, each with its place, what was expected and what it
 * looks like instead; no value that may be secret is quoted.
 */
export class GateFault extends TypeError {
  override readonly name = 'GateFault';

  constructor(
    what: string,
    readonly problems: readonly string[],
  ) {
    super(
      `${what} (${problems.length === 1 ? '1 problem' : `${problems.length} problems`}):\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
  }
}

/** Throws all problems as one fault, or does nothing. */
export function throwIfAny(what: string, ...problems: readonly (readonly string[])[]): void {
  const all = problems.flat();
  if (all.length > 0) throw new GateFault(what, all);
}

/** What a value is, and never what it says. */
export function shapeOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'string') return value === '' ? 'an empty string' : `a string of ${value.length} characters`;
  if (typeof value === 'number') return `the number ${value}`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
