const SCALE = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
] as const;

/** Formats a duration in the largest unit of which it is at least one and a half, with the plurals of the language. */
export function durationText(seconds: number, locale: string): string {
  const { unit, seconds: each } = SCALE.find((one) => seconds >= 1.5 * one.seconds) ?? { unit: 'second', seconds: 1 };
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit,
    unitDisplay: 'long',
    numberingSystem: 'latn',
    maximumFractionDigits: 0,
  }).format(seconds / each);
}
