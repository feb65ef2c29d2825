import { isRecord } from '../../domain/json.js';
import { TASK_LEASE } from '../../domain/task.js';
import { DELIVERY_LEASE } from '../../domain/webhook/delivery.js';
import { LOOKUP_LIMITS } from '../../runtime/webhook/name-lookups.js';
import { DEFAULT_POLICY } from '../../domain/policy.js';
import { FACTOR, isFactor } from './check-administration.js';
import { shapeOf } from './argument-error.js';

const DEFAULTS: Readonly<Record<string, unknown>> = { ...DEFAULT_POLICY };

/** The values of settings that name one of several. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  expiry: ['hold_while_processing', 'strict'],
  testClock: ['partner', 'mode'],
};

/** Settings of which the first must exceed the second. */
const GREATER: readonly (readonly [
  greater: keyof typeof DEFAULT_POLICY,
  than: keyof typeof DEFAULT_POLICY,
  why: string,
])[] = [
  [
    'requestTimeout',
    'providerAnswerTimeout',
    'or requests time out before they can report that the provider is still working',
  ],
  [
    'requestTimeout',
    'providerQuestionTimeout',
    'or requests time out before they can report that a provider does not answer',
  ],
  ['requestsInFlightMax', 'requestsContendedMin', 'or fewer requests run for one partner than for several'],
  ['kycRetention', 'sessionLifetime', 'or packages are deleted while their session is open'],
];

/** Settings that must be below or above a constant. */
const BOUNDS: readonly (readonly [
  name: keyof typeof DEFAULT_POLICY,
  side: 'below' | 'above',
  bound: number,
  why: string,
])[] = [
  ['attemptTimeout', 'below', DELIVERY_LEASE, 'or an attempt in progress is claimed again'],
  ['attemptTimeout', 'above', LOOKUP_LIMITS.timeoutMs, 'or the receiver has no time to answer'],
  [
    'providerAnswerTimeout',
    'below',
    TASK_LEASE,
    'or a step in progress is recovered while its request still waits for it',
  ],
];

/** Accepts known settings with values of the default's type and sign. */
export function policyProblems(policy: unknown): readonly string[] {
  if (!isRecord(policy)) return [`policy must be an object, not ${shapeOf(policy)}.`];
  const given = Object.entries(policy).filter(([, value]) => value !== undefined);
  const problems = given.flatMap(([name, value]) => settingProblem(name, value) ?? []);
  return problems.length > 0 ? problems : orderProblems({ ...DEFAULTS, ...Object.fromEntries(given) });
}

function settingProblem(name: string, value: unknown): string | null {
  const place = `policy.${name}`;
  if (!Object.hasOwn(DEFAULTS, name)) return `${place} is not a policy setting${nearest(name)}`;
  const standard = DEFAULTS[name];
  const choices = CHOICES[name];
  if (choices !== undefined) {
    return choices.some((choice) => choice === value)
      ? null
      : `${place} must be ${choices.map((choice) => `"${choice}"`).join(' or ')}, not ${shapeOf(value)}.`;
  }
  if (Array.isArray(standard)) {
    return Array.isArray(value) && value.every(isPositive)
      ? null
      : `${place} must be an array of whole milliseconds above 0, not ${shapeOf(value)}.`;
  }
  if (typeof standard === 'number') return numberProblem(place, name, value);
  return typeof value === typeof standard ? null : `${place} must be ${shapeOf(standard)}, not ${shapeOf(value)}.`;
}

function numberProblem(place: string, name: string, value: unknown): string | null {
  if (name === 'rateLimitFactor') return isFactor(value) ? null : `${place} must be ${FACTOR}, not ${shapeOf(value)}.`;
  return isPositive(value)
    ? null
    : `${place} must be a whole number above 0 (durations are milliseconds), not ${shapeOf(value)}.`;
}

function isPositive(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

function orderProblems(whole: Readonly<Record<string, unknown>>): readonly string[] {
  const bounded = BOUNDS.flatMap(([name, side, bound, why]) => {
    const value = Number(whole[name]);
    return (side === 'below' ? value < bound : value > bound)
      ? []
      : [`policy.${name} (${value}) must be ${side} ${bound}, ${why}.`];
  });
  const ordered = GREATER.flatMap(([greater, than, why]) =>
    Number(whole[greater]) > Number(whole[than])
      ? []
      : [
          `policy.${greater} (${String(whole[greater])}) must be above policy.${than} (${String(whole[than])}), ${why}.`,
        ],
  );
  return [...bounded, ...ordered];
}

function nearest(name: string): string {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, '');
  const found = Object.keys(DEFAULTS).find(
    (known) => plain(known) === plain(name) || plain(known).startsWith(plain(name)),
  );
  return found === undefined ? '; DEFAULT_POLICY lists all settings.' : `; did you mean ${found}?`;
}
