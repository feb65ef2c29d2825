import type { IntentRow } from './database-facts.js';
import type { Bought, Facts } from './facts.js';
import type { Found, Law } from './law.js';
import { groupBy, indexBy } from './index-by.js';

const ended = ['succeeded', 'failed', 'cancelled'];

export const PURCHASE_LAWS: readonly Law<Facts>[] = [
  { law: 'purchases completed', check: completed },
  { law: 'purchases left unfinished', check: unfinished },
  { law: 'completions shown to a buyer that the database does not hold', check: unheld },
  { law: 'intents stranded', check: stranded },
  { law: 'tasks and deliveries parked', check: ({ database }) => ({ breaches: database.parked }) },
  { law: 'provider operations doubled', check: doubled },
  { law: 'sessions charged other than once for their completion', check: mischarged },
];

function completed({ bought, unfinished: open, form }: Facts): Found {
  return { found: bought.length + (form.mayBeUnfinished ? open.length : 0), atLeast: form.purchases };
}

function unfinished({ unfinished: open, form }: Facts): Found {
  return { breaches: form.mayBeUnfinished ? [] : open };
}

function unheld({ bought, database }: Facts): Found {
  const sessions = indexBy(database.sessions, ({ id }) => id);
  const paid = indexBy(
    database.intents.filter(({ status }) => status === 'succeeded'),
    ({ session }) => session,
  );
  const isHeld = ({ session, status, refid }: Bought): boolean =>
    status === 'completed' && sessions.get(session)?.status === 'completed' && paid.get(session)?.refid === refid;
  return { breaches: bought.filter((one) => !isHeld(one)) };
}

/** Open without anything that would continue it, or ended while its session is still held. */
function stranded({ database }: Facts): Found {
  const live = groupBy(
    database.intents.filter(({ status }) => !ended.includes(status)),
    ({ session }) => session,
  );
  const idle = [...live.values()].flat().filter(({ isDriven }) => !isDriven);
  return { breaches: [...idle, ...database.sessions.filter(({ id, isHeld }) => isHeld && !live.has(id))] };
}

/** According to the provider's own log: money of an operation starts to move once, and no movement is recorded twice. */
function doubled({ database }: Facts): Found {
  const lines = groupBy(database.provider, ({ operation }) => operation);
  const movedAgain = [...lines].filter(
    ([, entries]) =>
      entries.filter(({ step }, index) => step === 'moving' && entries[index - 1]?.step !== 'moving').length > 1,
  );
  const bookedTwice = database.provider.filter(
    ({ books }) => new Set(books.effects.map(({ kind }) => kind)).size !== books.effects.length,
  );
  const unbooked = database.operations.filter(({ operation }) => !lines.has(operation));
  return {
    breaches: [
      ...movedAgain.map(([operation]) => ({ operation })),
      ...bookedTwice.map(({ operation }) => ({ operation })),
      ...unbooked.map(({ operation }) => ({ operation, log: 'none' })),
    ],
  };
}

/** A completed session was charged by exactly one operation, and one that is not completed by at most the one it is waiting for. */
function mischarged({ database }: Facts): Found {
  const intents = groupBy(database.intents, ({ session }) => session);
  const books = indexBy(database.operations, ({ operation }) => operation);
  const charged = (intent: IntentRow): boolean =>
    books.get(intent.operation)?.books.effects.some(({ kind }) => kind === 'charge') ?? false;
  const breaches = database.sessions.flatMap(({ id, status }) => {
    const paying = (intents.get(id) ?? []).filter(charged);
    const isPaid = paying.length === 1 && paying[0]?.status === 'succeeded';
    const isUnderWay =
      paying.length === 0 || (paying.length === 1 && !paying.some(({ status: now }) => ended.includes(now)));
    return (status === 'completed' ? isPaid : isUnderWay)
      ? []
      : [{ session: id, status, charged: paying.map((intent) => `${intent.id} ${intent.status}`) }];
  });
  return { breaches };
}
