import type { Facts } from './facts.js';
import { groupBy } from './index-by.js';
import type { Found, Law } from './law.js';

export const REPLAY_LAWS: readonly Law<Facts>[] = [
  {
    law: 'replays acknowledged',
    check: ({ office, form }) => ({ found: timesOf(office.replays), atLeast: form.office.replays }),
  },
  { law: 'replays lost or done twice', check: miscounted },
  { law: 'delivery attempts lost, made twice or unasked', check: misattempted },
  {
    law: 'keys of the back office that did not answer their original again',
    check: ({ office }) => ({ breaches: office.again.filter(({ isSame }) => !isSame) }),
  },
];

const timesOf = (replays: readonly { readonly times: number }[]): number =>
  replays.reduce((sum, { times }) => sum + times, 0);

/**
 * Each delivery has at least its acknowledged replays; in total there are no more than the acknowledged ones and those whose response
 * was lost.
 */
function miscounted({ office, database }: Facts): Found {
  const asked = groupBy(office.replays, ({ delivery }) => delivery);
  const few = database.deliveries.filter(({ id, replays }) => replays < (asked.get(id)?.length ?? 0));
  const done = database.deliveries.reduce((sum, { replays }) => sum + replays, 0);
  const least = timesOf(office.replays);
  const most = least + office.open.filter(({ what }) => what === 'replay').reduce((sum, { atMost }) => sum + atMost, 0);
  return { breaches: done < least || done > most ? [...few, { done, least, most }] : few };
}

/** Attempts are numbered without gaps, and each replay that began is an attempt. */
function misattempted({ database }: Facts): Found {
  const attempts = groupBy(database.attempts, ({ delivery }) => delivery);
  return {
    breaches: database.deliveries.filter(({ id, status, attemptsTotal, replays }) => {
      const kept = [...(attempts.get(id) ?? [])].sort((a, b) => a.number - b.number);
      const isInOrder = kept.length === attemptsTotal && kept.every(({ number }, index) => number === index + 1);
      const waits = status === 'pending' && replays > 0 ? 1 : 0;
      return !isInOrder || kept.filter(({ trigger }) => trigger === 'replay').length !== replays - waits;
    }),
  };
}
