import type { AlarmMeaning } from '@gateramp/core/ports';

/** A service level objective over 30 days. */
export interface Objective {
  /** Prefix of the recorded series. */
  readonly series: string;
  /** The share of bad events that it allows. */
  readonly budget: number;
  /** What it promises, in docs. */
  readonly promise: string;
  /** PromQL: the share of bad events in a window. */
  readonly ratio: (window: string) => string;
  /** Prefix of its two alerts. */
  readonly alert: string;
  readonly fast: AlarmMeaning['severity'];
  readonly meaning: string;
}

const WAIT = 'gate_first_attempt_wait_seconds';
const rate = (series: string, window: string) => `sum(rate(${series}[${window}]))`;

/** Live mode only: webhooks and payments of test mode burn no budget. */
export const OBJECTIVES: readonly Objective[] = [
  {
    series: 'gate:first_attempts_failed',
    budget: 0.01,
    promise: '99 % of the first attempts of webhooks are acknowledged',
    ratio: (window) =>
      `${rate(`${WAIT}_count{mode="live",outcome="failed"}`, window)} / ${rate(`${WAIT}_count{mode="live"}`, window)}`,
    alert: 'GateFirstAttemptsFailing',
    // Receivers, which belong to partners, fail more often than this server.
    fast: 'warning',
    meaning:
      'Too many first attempts of live webhooks fail. If `gate_delivery_attempts_total` shows one `error`, look for the partner in the log; if all partners fail, check the network of the workers',
  },
  {
    series: 'gate:first_attempts_late',
    budget: 0.001,
    promise: '99.9 % of the first attempts start within 5 s of the event',
    ratio: (window) =>
      `1 - ${rate(`${WAIT}_bucket{mode="live",le="5"}`, window)} / ${rate(`${WAIT}_count{mode="live"}`, window)}`,
    alert: 'GateFirstAttemptsLate',
    fast: 'critical',
    meaning:
      'Too many live webhooks wait for their first attempt. Check that workers run and are not overloaded. Webhooks that waited for a paused endpoint count when it is resumed',
  },
  {
    series: 'gate:payments_held',
    budget: 0.001,
    promise:
      'of 1,000 payments at most one is held: for five minutes by a provider call of unknown outcome, or for a day by a payment or refund that does not end',
    ratio: (window) =>
      `${rate('gate_held_payments_total{mode="live"}', window)} / ${rate('gate_payments_total{mode="live"}', window)}`,
    alert: 'GateMoneyHeld',
    fast: 'critical',
    meaning:
      'Too many live payments are held. Look for the alarms `provider_step_unknown`, `session_held_too_long`, `payment_held_too_long` and `refund_pending_too_long` in the log, and ask the provider that they name',
  },
];

/** The windows of the recorded ratios. */
export const WINDOWS = ['5m', '30m', '1h', '2h', '6h', '1d', '3d'] as const;

/**
 * Multi-window, multi-burn-rate conditions. A rate of 1 uses the budget in 30 days, so `fast` uses 2 % of it in an hour or 5 % in six
 * hours, and `slow` 10 % in a day or in three. The short window ends the alert soon after the cause is gone.
 */
const BURNS = {
  fast: [
    { rate: 14.4, long: '1h', short: '5m' },
    { rate: 6, long: '6h', short: '30m' },
  ],
  slow: [
    { rate: 3, long: '1d', short: '2h' },
    { rate: 1, long: '3d', short: '6h' },
  ],
} as const;

/** PromQL over the recorded series of an objective. */
export function burning({ series }: Objective, speed: keyof typeof BURNS): string {
  return BURNS[speed]
    .map(({ rate: burn, long, short }) => {
      const above = (window: string) => `${series}:ratio_rate${window} > ${burn} * ${series}:budget`;
      return `(${above(long)} and ${above(short)})`;
    })
    .join(' or ');
}
