/** Breaches (none are expected), or a number that must reach `atLeast`, or one that must stay below `below`. */
export type Found =
  | { readonly breaches: readonly unknown[]; readonly expected?: number; readonly found?: number }
  | { readonly found: number; readonly atLeast: number }
  | { readonly found: number; readonly below: number };

/** A sentence, and a function that returns its breaches in the facts. */
export interface Law<Facts> {
  readonly law: string;
  readonly check: (facts: Facts) => Found;
}

/** The result of a law. */
export interface Row {
  readonly law: string;
  readonly expected: number | string;
  readonly found: number;
  readonly isKept: boolean;
  readonly samples: readonly unknown[];
}

/** A figure without a law. */
export type Counts = Readonly<Record<string, number | string>>;
