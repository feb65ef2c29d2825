/** The day and time of an instant, in the time zone of the device. */
export function dateTime(locale: string, at: string | number): string {
  return formatter(locale, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(at));
}

/** The time at which an hour begins, in the time zone of the device. */
export function hourOfDay(locale: string, at: string | number): string {
  return formatter(locale, { timeStyle: 'short' }).format(new Date(at));
}

/** The exact instant, for a tooltip: with milliseconds, in UTC. */
export const exactTime = (at: string | number): string => new Date(at).toISOString();

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** A distance in time, such as "5 minutes ago", in the largest unit that fits. */
export function relativeTime(locale: string, at: string | number, nowMs: number): string {
  const ms = new Date(at).getTime() - nowMs;
  const [unit, size] = UNITS.find(([, one]) => Math.abs(ms) >= one) ?? ['second', 1000];
  return new Intl.RelativeTimeFormat(usable(locale), { numeric: 'auto' }).format(Math.trunc(ms / size), unit);
}

export const count = (locale: string, value: number): string => new Intl.NumberFormat(usable(locale)).format(value);

export const duration = (locale: string, ms: number): string =>
  new Intl.NumberFormat(usable(locale), { style: 'unit', unit: 'millisecond', unitDisplay: 'narrow' }).format(ms);

const DECIMAL = /^\d+(\.\d+)?$/;
const ISO_CURRENCY = /^[A-Z]{3}$/;
const CRYPTO = new Set(['BTC', 'ETH', 'DAI', 'SOL', 'XRP', 'BNB', 'TRX', 'POL']);

/** An amount with all of its digits. It never passes through a floating-point number: `Intl` formats the text itself. */
export function money(locale: string, amount: string | null, currency: string | null): string {
  if (amount === null) return currency ?? '–';
  if (!DECIMAL.test(amount)) return `${amount} ${currency ?? ''}`.trim();
  const digits = Math.min((amount.split('.')[1] ?? '').length, 100);
  const exact = { minimumFractionDigits: digits, maximumFractionDigits: digits } as const;
  // The cast holds: the text is a decimal number, which `format` takes as it is.
  const text = amount as Intl.StringNumericLiteral;
  if (currency !== null && ISO_CURRENCY.test(currency) && !CRYPTO.has(currency))
    return new Intl.NumberFormat(usable(locale), {
      style: 'currency',
      currency,
      ...atLeastUsual(digits, currency),
    }).format(text);
  return `${new Intl.NumberFormat(usable(locale), exact).format(text)} ${currency ?? ''}`.trim();
}

/** Sums such as 200.3 euros are shown with the usual digits of the currency, and with more where they have more. */
function atLeastUsual(digits: number, currency: string) {
  const usual =
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().minimumFractionDigits ?? 0;
  const shown = Math.max(digits, usual);
  return { minimumFractionDigits: shown, maximumFractionDigits: shown };
}

/** Arabic texts with Latin digits, as the ids and amounts of the API have them. */
const usable = (locale: string): string => (locale === 'ar' ? 'ar-u-nu-latn' : locale);

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const present = formatters.get(key) ?? new Intl.DateTimeFormat(usable(locale), options);
  formatters.set(key, present);
  return present;
}
