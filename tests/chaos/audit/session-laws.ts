import type { Facts, RaceAnswer } from './facts.js';
import type { Found, Law } from './law.js';
import { groupBy, indexBy } from './index-by.js';

const isRace = (key: string | null): boolean => key?.startsWith('race-') ?? false;

export const SESSION_LAWS: readonly Law<Facts>[] = [
  { law: 'creates acknowledged', check: ({ acks, form }) => ({ found: acks.length, atLeast: form.creates }) },
  { law: 'acknowledged sessions lost', check: lost },
  { law: 'sessions created twice for one key', check: createdTwice },
  { law: 'sessions that no answer named', check: unnamed },
  { law: 'keys that did not answer their original again', check: forgotten },
  { law: 'sessions of the race', check: ofTheRace },
  { law: 'answers of the race that are neither original, replay, 409, 422 nor shed', check: strangeInTheRace },
];

function lost({ acks, database }: Facts): Found {
  const sessions = indexBy(database.sessions, ({ id }) => id);
  return {
    breaches: acks
      .filter(({ key, session }) => sessions.get(session)?.key !== key)
      .map(({ key, session }) => ({ key, session })),
  };
}

function createdTwice({ database }: Facts): Found {
  const twice = [...groupBy(database.sessions, ({ key }) => key)].filter(([, sessions]) => sessions.length > 1);
  return { breaches: twice.map(([key, sessions]) => ({ key, sessions: sessions.map(({ id }) => id) })) };
}

/** Clients repeat requests until they are answered, so every session has been acknowledged under its key. */
function unnamed({ acks, wrong, database }: Facts): Found {
  const answered = new Set<string | null>([...acks, ...wrong].map(({ key }) => key));
  return { breaches: database.sessions.filter(({ key }) => !isRace(key) && !answered.has(key)) };
}

function forgotten({ acks, repeats }: Facts): Found {
  const originals = indexBy(acks, ({ key }) => key);
  return { breaches: repeats.filter(({ key, status, sha }) => status !== 201 || originals.get(key)?.sha !== sha) };
}

function ofTheRace({ races, database, form }: Facts): Found {
  const won = races.filter(({ status }) => status === 201);
  const sessions = database.sessions.filter(({ key }) => isRace(key));
  const known = indexBy(sessions, ({ id }) => id);
  const unheard = won.filter(({ key, session }) => known.get(session ?? '')?.key !== key);
  return { expected: form.race.keys, found: sessions.length, breaches: unheard };
}

/** All 201 responses to one key and request have the same bytes; only another body gets 422. */
function strangeInTheRace({ races }: Facts): Found {
  const originals = new Map<string, { sha: string | null; amount: string }>();
  for (const { key, status, sha, amount } of races)
    if (status === 201 && !originals.has(key)) originals.set(key, { sha, amount });
  const isFine = ({ key, status, code, sha, amount }: RaceAnswer): boolean => {
    const original = originals.get(key);
    if (status === 201) return sha === original?.sha && amount === original?.amount;
    if (status === 422)
      return code === 'idempotency_key_mismatch' && original !== undefined && amount !== original.amount;
    // A process at capacity refuses before it does anything.
    if (status === 503) return code === 'service_unavailable';
    return status === 409 && code === 'operation_in_progress';
  };
  return { breaches: races.filter((answer) => !isFine(answer)) };
}
