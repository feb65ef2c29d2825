/**
 * How receivers misbehave, and the outcome that the contract requires for an attempt at each. The status decides: a body that drips or
 * never ends does not change an acknowledged delivery.
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

/** Equally many of each; the dripping ones are two halves. */
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

/** Receivers that may get many events, because their attempts end immediately. */
export const isQuick = (way: Way): boolean => way === 'resets' || way === 'redirects' || way === 'sends_gigabyte';
