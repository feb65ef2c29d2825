/** The forms of a noun after a number. */
interface Counted {
  readonly zero: string;
  readonly one: string;
  readonly two: string;
  /** 3 to 10, and numbers that end in 03 to 10. */
  readonly few: string;
  /** 11 to 99, and numbers that end in 11 to 99. */
  readonly many: string;
  /** Hundreds and fractions. */
  readonly other: string;
}

const rules = new Intl.PluralRules('ar');

/** A number with its noun. The forms for none, one and two contain the number. */
export function counted(n: number, forms: Counted): string {
  const rule = rules.select(n);
  return rule === 'zero' || rule === 'one' || rule === 'two' ? forms[rule] : `${n} ${forms[rule]}`;
}

/** Text of another direction, such as an id or a piece of code: its punctuation stays with it, and does not move the words around it. */
export const isolated = (text: string): string => `\u2068${text}\u2069`;
