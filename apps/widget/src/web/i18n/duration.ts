const SCALE = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
] as const;

/** How long something takes, in the largest unit of which it is one and a half; plurals are the language's own. */
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
