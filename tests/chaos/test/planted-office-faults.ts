import type { DatabaseFacts } from '../audit/database-facts.js';
import type { Facts } from '../audit/facts.js';
import { some, type PlantedFault } from './planted.js';

/** For each law on rails, pools and replays a fault that breaks it, planted in the facts of a run that broke none. */
export const plantedOfficeFaults: readonly PlantedFault<Facts>[] = [
  {
    law: 'payments over rails acknowledged',
    plant: ({ office, form }) => office.payments.splice(form.office.payments - 1),
  },
  {
    law: 'payments over rails lost, made twice or unknown',
    plant: ({ office, database }) => remove(database.payments, ({ id }) => id === some(office.payments).payment),
  },
  {
    law: 'payments over rails lost, made twice or unknown',
    plant: ({ database }) => database.payments.push({ ...some(database.payments), key: 'nobody' }),
  },
  {
    law: 'quotes that were paid over rails twice',
    plant: ({ database }) => database.payments.push({ ...some(database.payments), id: 'another' }),
  },
  {
    law: 'payments over rails that differ from their intent and transaction',
    plant: ({ database }) => Object.assign(paid(database), { status: 'processing' }),
  },
  {
    law: 'payments over rails that differ from their intent and transaction',
    plant: ({ database }) =>
      Object.assign(
        some(database.transactions, ({ status }) => status === 'failed'),
        { status: 'completed' },
      ),
  },
  {
    law: 'payments over rails that ended otherwise than was answered',
    plant: ({ office }) =>
      Object.assign(
        some(office.seen, ({ status }) => status === 'succeeded'),
        { status: 'failed' },
      ),
  },
  {
    law: 'payments over rails announced otherwise than they went',
    plant: ({ database }) => database.changes.push(some(database.changes)),
  },
  {
    law: 'payments over rails announced otherwise than they went',
    plant: ({ database }) => remove(database.changes, ({ status }) => status === 'cancelled'),
  },
  {
    law: 'payments over rails whose money moved otherwise',
    plant: ({ database }) => effectsOf(database, operationOfPaid(database)).pop(),
  },
  {
    law: 'payments over rails whose money moved otherwise',
    plant: ({ database }) => Object.assign(paid(database).destination, { amount: '0.01' }),
  },
  {
    law: 'trades acknowledged or refused for want of balance',
    plant: ({ office }) => Object.assign(office, { trades: [], short: office.short.slice(0, 1) }),
  },
  { law: 'trades refused for want of balance', plant: ({ office }) => Object.assign(office, { short: [] }) },
  {
    law: 'trades lost, made twice or unknown',
    plant: ({ office, database }) => remove(database.trades, ({ id }) => id === some(office.trades).trade),
  },
  {
    law: 'trades lost, made twice or unknown',
    plant: ({ database }) => database.trades.push({ ...some(database.trades), id: 'another' }),
  },
  {
    law: 'trades that were refused for want of balance and made',
    plant: ({ office, database }) => Object.assign(some(database.trades), { quote: some(office.short).quote }),
  },
  {
    law: 'balances of pools off by a unit',
    plant: ({ database }) => {
      const balance = some(database.balances, ({ name }) => name.endsWith('/available'));
      balance.value = balance.value.includes('.') ? `${balance.value}1` : `${balance.value}.000001`;
    },
  },
  {
    law: 'balances of pools off by a unit',
    plant: ({ database }) =>
      Object.assign(
        some(database.trades, ({ status }) => status === 'failed'),
        { status: 'completed' },
      ),
  },
  {
    law: 'balances of pools shown otherwise than they can be',
    plant: ({ office }) => Object.assign(some(some(office.balances).balances), { reserved: '999' }),
  },
  {
    law: 'trades whose money moved otherwise',
    plant: ({ database }) => {
      const { operation } = some(database.trades, ({ status }) => status === 'completed');
      const effects = effectsOf(database, operation);
      effects.push(some(effects));
    },
  },
  {
    law: 'trades that keep money reserved',
    plant: ({ database }) => Object.assign(some(database.trades), { status: 'processing', isDriven: false }),
  },
  { law: 'replays acknowledged', plant: ({ office }) => Object.assign(office, { replays: [] }) },
  {
    law: 'replays lost or done twice',
    plant: ({ database, office }) => {
      const { delivery } = some(office.replays, (replay) => replay.delivery !== null);
      some(database.deliveries, ({ id }) => id === delivery).replays = 0;
    },
  },
  {
    law: 'replays lost or done twice',
    plant: ({ database, office }) => {
      some(database.deliveries, ({ replays }) => replays > 0).replays += 1 + office.open.length * 5;
    },
  },
  {
    law: 'delivery attempts lost, made twice or unasked',
    plant: ({ database }) => remove(database.attempts, ({ trigger }) => trigger === 'replay'),
  },
  {
    law: 'delivery attempts lost, made twice or unasked',
    plant: ({ database }) =>
      Object.assign(
        some(database.attempts, ({ trigger }) => trigger === 'initial'),
        { trigger: 'replay' },
      ),
  },
  {
    law: 'keys of the back office that did not answer their original again',
    plant: ({ office }) => Object.assign(some(office.again), { isSame: false }),
  },
];

const paid = ({ payments }: DatabaseFacts) => some(payments, ({ status }) => status === 'succeeded');

function operationOfPaid(database: DatabaseFacts): string {
  const { id } = paid(database);
  return some(database.intents, (intent) => intent.id === id).operation;
}

function effectsOf({ operations }: DatabaseFacts, operation: string) {
  return some(operations, (one) => one.operation === operation).books.effects;
}

function remove<Row>(rows: Row[], isOut: (row: Row) => boolean): void {
  rows.splice(rows.indexOf(some(rows, isOut)), 1);
}
