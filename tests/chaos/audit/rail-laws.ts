import type { PaymentRow } from './database-facts.js';
import type { Facts } from './facts.js';
import { groupBy, indexBy } from './index-by.js';
import type { Found, Law } from './law.js';
import { isCarriedOut, isUnderWay, isUndone, movedBy } from './moved.js';

const ended = ['succeeded', 'failed', 'cancelled'];

export const RAIL_LAWS: readonly Law<Facts>[] = [
  {
    law: 'payments over rails acknowledged',
    check: ({ office, form }) => ({ found: office.payments.length, atLeast: form.office.payments }),
  },
  { law: 'payments over rails lost, made twice or unknown', check: strays },
  { law: 'quotes that were paid over rails twice', check: paidTwice },
  { law: 'payments over rails that differ from their intent and transaction', check: torn },
  { law: 'payments over rails that ended otherwise than was answered', check: endedOtherwise },
  { law: 'payments over rails announced otherwise than they went', check: announcedWrongly },
  { law: 'payments over rails whose money moved otherwise', check: mismoved },
];

/** By idempotency key, which is also their user_reference. */
function strays({ office, database }: Facts): Found {
  const byKey = groupBy(database.payments, ({ key }) => key);
  const acknowledged = indexBy(office.payments, ({ key }) => key);
  const open = new Set<string | null>(office.open.map(({ key }) => key));
  const lost = office.payments.filter(({ key, payment, quote }) => {
    const [row, ...more] = byKey.get(key) ?? [];
    return row?.id !== payment || row.quote !== quote || more.length > 0;
  });
  const unheard = database.payments.filter(({ key }) => !acknowledged.has(key ?? '') && !open.has(key));
  return { breaches: [...lost, ...unheard] };
}

function paidTwice({ database }: Facts): Found {
  const twice = [...groupBy(database.payments, ({ quote }) => quote)].filter(([, payments]) => payments.length > 1);
  return { breaches: twice.map(([quote, payments]) => ({ quote, payments: payments.map(({ id }) => id) })) };
}

function torn({ database }: Facts): Found {
  const intents = indexBy(database.intents, ({ id }) => id);
  const transactions = indexBy(database.transactions, ({ refid }) => refid);
  const expected = (status: string): readonly string[] => TRANSACTIONS[status] ?? ['pending', 'processing'];
  return {
    breaches: database.payments.filter(
      ({ id, refid, status }) =>
        intents.get(id)?.status !== status || !expected(status).includes(transactions.get(refid)?.status ?? 'missing'),
    ),
  };
}

const TRANSACTIONS: Readonly<Record<string, readonly string[]>> = {
  succeeded: ['completed'],
  failed: ['failed'],
  cancelled: ['failed'],
};

function endedOtherwise({ office, database }: Facts): Found {
  const rows = indexBy(database.payments, ({ id }) => id);
  const ends = office.seen.filter(({ status }) => ended.includes(status));
  return {
    breaches: ends.filter(({ payment, status, refid }) => {
      const row = rows.get(payment);
      return row?.status !== status || row.refid !== refid;
    }),
  };
}

/**
 * Each status once, including the current one, and none without the one that must precede it. A payment that crashed before the
 * provider received it has only the failure.
 */
function announcedWrongly({ database }: Facts): Found {
  const announced = groupBy(database.changes, ({ payment }) => payment);
  const isRight = ({ id, status }: PaymentRow): boolean => {
    const statuses = (announced.get(id) ?? []).map((change) => change.status);
    if (status === 'created') return statuses.length === 0;
    const waited = status === 'failed' || statuses.includes('requires_action');
    const others = statuses.filter((one) => one !== status && ended.includes(one));
    return new Set(statuses).size === statuses.length && statuses.includes(status) && waited && others.length === 0;
  };
  return { breaches: database.payments.filter((payment) => !isRight(payment)) };
}

function mismoved({ database }: Facts): Found {
  const moved = movedBy(database);
  const operations = indexBy(database.intents, ({ id }) => id);
  return {
    breaches: database.payments.filter(({ id, status, source, destination }) => {
      const movements = moved(operations.get(id)?.operation ?? '');
      if (status === 'succeeded') return !isCarriedOut(movements, { in: source, out: destination });
      return ended.includes(status) ? !isUndone(movements) : !isUnderWay(movements);
    }),
  };
}
