import type { Facts, Refused } from './facts.js';
import type { Found, Law } from './law.js';

/** For every store that the servers use. */
export const ANSWER_LAWS: readonly Law<Facts>[] = [
  {
    law: 'due for too long without a live lease, some time after the last fault',
    check: ({ run }) => ({ breaches: run.overdue }),
  },
  { law: 'refusals other than 503 in the envelope, or 409 in progress', check: strangeRefusals },
  { law: 'refusals later than the time-out', check: lateRefusals },
  { law: 'answers no client should get', check: ({ wrong }) => ({ breaches: wrong }) },
  { law: 'processes that ended by themselves', check: ends },
];

export const SURVIVAL_LAWS: readonly Law<Facts>[] = [
  { law: 'kills of an API process', check: kills('api') },
  { law: 'kills of a worker', check: kills('worker') },
  { law: 'kills of Postgres', check: kills('postgres') },
  { law: 'commits cut after they were sent', check: ({ cuts }) => ({ found: cuts.afterCommit, atLeast: 1 }) },
  ...ANSWER_LAWS,
  { law: 'requests unanswered while every process lived', check: unanswered },
];

function kills(kind: string): Law<Facts>['check'] {
  return ({ faults, form }) => ({ found: faults[kind] ?? 0, atLeast: form.crash.kills });
}

function strangeRefusals({ refused }: Facts): Found {
  const isRight = ({ status, code, isEnvelope }: Refused): boolean =>
    isEnvelope && (status === 503 ? ['service_unavailable', 'try_again'].includes(code ?? '') : status === 409);
  return { breaches: refused.filter((one) => !isRight(one)) };
}

function lateRefusals({ form, refused, unanswered: silent }: Facts): Found {
  return {
    breaches: [
      ...refused.filter(({ ms }) => ms > form.answersWithinMs),
      ...silent.filter(({ error }) => error === 'CLIENT_TIMEOUT'),
    ],
  };
}

/**
 * While only Postgres and Redis fail, each request gets a response. The drain between two phases may close a
 * connection.
 */
function unanswered({ unanswered: silent, run }: Facts): Found {
  const calm = (['cuts', 'redis'] as const).map((name) => run.phases[name]);
  return { breaches: silent.filter(({ at, ms }) => calm.some(({ from, to }) => at >= from && at + ms <= to)) };
}

/**
 * Processes that were killed or stopped ended as requested. While Postgres is being killed, a starting server may exit and be
 * restarted.
 */
function ends({ exits }: Facts): Found {
  return {
    breaches: exits.filter(({ wasOrdered, wasReady, phase }) => !wasOrdered && (wasReady || phase !== 'crash')),
  };
}
