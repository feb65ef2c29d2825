import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptySchema, freshSchema, testPool } from '../../../packages/adapters-store-postgres/test/postgres-subject.js';
import { runs } from '../../depth.js';
import { BEFORE, judge, memoryPlace, type Place, type Step, STEPS } from '../checkpoints/returned.js';
import { ownFile, partsInFile, partsInPostgres } from '../moved/places.js';

let pool: pg.Pool;
let schema: string;
beforeAll(async () => {
  pool = await testPool();
  schema = await freshSchema(pool);
});
afterAll(() => pool.end());

describe('after a return to a checkpoint the same steps lead to the same', () => {
  it('in memory', async () => {
    await fc.assert(
      fc.asyncProperty(BEFORE, STEPS, STEPS, (before, aside, after) =>
        judge([memoryPlace(), memoryPlace()], before, aside, after),
      ),
      { numRuns: runs(20, 200) },
    );
  });

  it('on SQLite', async () => {
    await fc.assert(
      fc.asyncProperty(BEFORE, STEPS, STEPS, async (before, aside, after) => {
        const { file, remove } = ownFile();
        try {
          await judge([memoryPlace(), partsInFile(file)], before, aside, after);
        } finally {
          remove();
        }
      }),
      { numRuns: runs(3, 30) },
    );
  });

  it('on Postgres', async () => {
    await fc.assert(
      fc.asyncProperty(BEFORE, STEPS, STEPS, async (before, aside, after) => {
        await emptySchema(pool, schema);
        await judge([memoryPlace(), partsInPostgres(pool, schema)], before, aside, after);
      }),
      { numRuns: runs(3, 30) },
    );
  });
});

describe('a return that does not restore', () => {
  const CHECKOUT: Step = { do: 'checkout', buyer: 0, card: '4242424242424242', isVerified: false };
  const CODE: Step = { ...CHECKOUT, card: '4000000000003220' };
  const GIVE_CODE: Step = { do: 'code', session: 0 };
  const QUOTE: Step = { do: 'quote', kind: 'pay_in' };
  const RAIL: Step = { do: 'rail', quote: 0 };
  const PAID: Step = { do: 'simulate', session: 0, scenario: 'succeed' };
  const MINUTE_LATER: Step = { do: 'advance', seconds: 90 };

  /** A fault, and a history that shows it: steps before the checkpoint, aside, and after the return. */
  interface Shown {
    readonly title: string;
    readonly fault: Fault;
    readonly before: readonly Step[];
    readonly aside: readonly Step[];
    readonly after: readonly Step[];
  }

  const FAULTS: readonly Shown[] = [
    {
      title: 'sessions',
      fault: withoutRows('sessions'),
      before: [{ do: 'create' }],
      aside: [PAID, MINUTE_LATER],
      after: [PAID],
    },
    { title: 'payments', fault: withoutRows('intents'), before: [CODE], aside: [GIVE_CODE], after: [GIVE_CODE] },
    { title: 'transactions', fault: withoutRows('transactions'), before: [CODE], aside: [GIVE_CODE], after: [] },
    { title: 'work', fault: withoutRows('tasks'), before: [CHECKOUT], aside: [], after: [MINUTE_LATER] },
    { title: 'used quotes', fault: withoutNoun('quote'), before: [QUOTE], aside: [RAIL], after: [RAIL] },
    {
      title: 'how long quotes are valid',
      fault: withoutNoun('quote'),
      before: [QUOTE],
      aside: [{ do: 'advance', seconds: 3_600 }],
      after: [RAIL],
    },
    {
      title: 'pay-ins',
      fault: withoutNoun('pay_in'),
      before: [QUOTE, RAIL],
      aside: [{ do: 'rail_money', payment: 0, scenario: 'succeed' }],
      after: [],
    },
    {
      title: 'saved cards',
      fault: withoutNoun('sandbox_customers'),
      before: [CHECKOUT],
      aside: [{ do: 'forget', buyer: 0 }],
      after: [],
    },
    {
      title: 'that a buyer had no cards',
      fault: withoutNoun('sandbox_customers'),
      before: [],
      aside: [CHECKOUT],
      after: [],
    },
  ];

  it.each(FAULTS)('$title is noticed', async ({ fault, before, aside, after }) => {
    await judge([memoryPlace(), memoryPlace()], before, aside, after);
    const planted = judge([memoryPlace(), faulty(memoryPlace(), fault)], before, aside, after);
    await expect(planted).rejects.toThrow('expected');
  });
});

type Change = Parameters<Place['store']['commit']>[0];
type Fault = (change: Change) => Change;

function withoutRows(kind: 'sessions' | 'intents' | 'transactions' | 'tasks'): Fault {
  return (change) => ({ ...change, [kind]: [] });
}

function withoutNoun(noun: string): Fault {
  return (change) => ({ ...change, documents: change.documents.filter(({ row }) => row.noun !== noun) });
}

/** Plants the fault in the commit of a return, and in no other. */
function faulty({ store, ledger }: Place, fault: Fault): Place {
  const isReturn = ({ audit }: Change) => audit?.entries.some(({ action }) => action === 'checkpoint.return') === true;
  return { ledger, store: { ...store, commit: (change) => store.commit(isReturn(change) ? fault(change) : change) } };
}
