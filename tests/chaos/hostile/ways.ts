/**
 * The ways in which receivers are hostile, and how the contract has an attempt at each recorded. A status decides, whatever happens to the
 * body: one that drips or never ends is an acknowledged delivery all the same.
 */
export const WAYS = {
  never_answers: { status: null, error: 'timeout' },
  drips_headers: { status: null, error: 'timeout' },
  drips_body: { status: 200, error: null },
  resets: { status: null, error: 'connection_reset' },
  redirects: { status: 302, error: 'redirect_not_followed' },
  sends_gigabyte: { status: 200, error: null },
} as const;

export type Way = keyof typeof WAYS;

/** As many of each; those that drip are two halves. */
const TURNS: readonly Way[] = [
  'never_answers',
  'drips_headers',
  'resets',
  'redirects',
  'sends_gigabyte',
  'never_answers',
  'drips_body',
  'resets',
  'redirects',
  'sends_gigabyte',
];

export const wayOf = (index: number): Way => TURNS[index % TURNS.length] ?? 'never_answers';

/** Those that may be owed event after event: their attempts end at once. */
export const isQuick = (way: Way): boolean => way === 'resets' || way === 'redirects' || way === 'sends_gigabyte';
