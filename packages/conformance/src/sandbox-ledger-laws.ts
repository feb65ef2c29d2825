import assert from 'node:assert/strict';
import type { SandboxLedger, SandboxOperation } from '@gateramp/adapters-provider-sandbox';
import { DAY, MINUTE, type Instant, type Mode } from '@gateramp/core/domain';
import type { Store } from '@gateramp/core/ports';
import { T0 } from './builders.js';
import { lawsOnTrial, type Law } from './law.js';

/** The sandbox's ledger under test, in a database. */
export interface SandboxLedgerSubject {
  /** New and empty each time. */
  create(): Promise<SandboxLedgerOnTrial>;
}

/** A new ledger of the sandbox, and the store that shares its database. */
export interface SandboxLedgerOnTrial {
  readonly ledger: SandboxLedger;
  /** The store that shares its database, and reaps both. */
  readonly store: Pick<Store, 'reap'>;
  readonly close: () => Promise<void>;
}

const KEPT = 30 * DAY;
const FAILED = {
  step: 'failed',
  failure: { code: 'payment_declined', stage: 'payment', message: 'Declined.', retryable: true },
} as const;
const AWAITING = { step: 'awaiting', action: { type: 'kyc', level: 'basic', fields: [] }, ahead: [] } as const;
const OPEN = { step: 'moving', since: T0, ending: null } as const;

/** The laws of the sandbox's ledger in a database: operations are stored unchanged, and deleted long after they ended. */
export const sandboxLedgerLaws: readonly Law<SandboxLedgerSubject>[] = lawsOnTrial<SandboxLedgerOnTrial>(
  "The sandbox's ledger in a database",
  {
    async 'stores an operation unchanged, and replaces only the version that was read'({ ledger }) {
      const first = anOperation('a', AWAITING);
      const second = anOperation('a', FAILED, { version: 2 });
      assert.equal(await ledger.read('a'), null);
      assert.deepEqual([await ledger.write(first, null), await ledger.write(first, null)], [true, false]);
      const swaps = [await ledger.write(second, 7), await ledger.write(second, 1), await ledger.write(second, 1)];
      assert.deepEqual(swaps, [false, true, false]);
      assert.deepEqual(await ledger.read('a'), second);
    },
    async 'removes an operation thirty days after its last change, returned money included'(books) {
      const ids = ['cancelled', 'failed', 'returned', 'settled'];
      await keep(
        books,
        anOperation('cancelled', { step: 'cancelled' }),
        anOperation('failed', FAILED),
        anOperation('returned', moving(T0 + 2 * MINUTE)),
        anOperation('settled', moving()),
      );
      assert.equal(await reap(books, T0 + KEPT - 1), 0);
      assert.equal(await reap(books, T0 + KEPT), 2);
      assert.deepEqual(await existing(books, ids), ['returned', 'settled']);
      assert.equal(await reap(books, T0 + KEPT + MINUTE), 1);
      assert.deepEqual(await existing(books, ids), ['returned']);
      assert.equal(await reap(books, T0 + KEPT + 2 * MINUTE), 1);
    },
    async 'never removes an unfinished operation'(books) {
      await keep(
        books,
        anOperation('awaiting', AWAITING),
        anOperation('moving', OPEN),
        anOperation('planned', { step: 'planned' }),
        anOperation('revived', FAILED),
      );
      assert.equal(await books.ledger.write(anOperation('revived', OPEN, { version: 2 }), 1), true);
      assert.equal(await reap(books, T0 + 100 * KEPT), 0);
    },
    async 'removes operations of one mode only, up to the limit'(books) {
      const ids = ['a', 'b', 'c', 'live'];
      await keep(
        books,
        ...['a', 'b', 'c'].map((id) => anOperation(id, FAILED)),
        anOperation('live', FAILED, { mode: 'live' }),
      );
      const rounds = [
        await reap(books, T0 + KEPT, 2),
        await reap(books, T0 + KEPT, 2),
        await reap(books, T0 + KEPT, 2),
      ];
      assert.deepEqual(rounds, [2, 1, 0]);
      assert.deepEqual(await existing(books, ids), ['live']);
    },
  },
);

type Books = Pick<SandboxLedgerOnTrial, 'ledger' | 'store'>;

function anOperation(
  operationId: string,
  state: SandboxOperation['state'],
  changes: { readonly version?: number; readonly mode?: Mode } = {},
): SandboxOperation {
  const rest = { plan: null, forced: null, effects: [], updatedAt: T0 };
  return { operationId, mode: 'test', version: 1, state, ...rest, ...changes };
}

/** Money that moves since `T0` and settles a minute later. */
function moving(returnedAt: Instant | null = null): SandboxOperation['state'] {
  const returned = returnedAt === null ? null : { kind: 'charged_back' as const, at: returnedAt };
  return { step: 'moving', since: T0, ending: { at: T0 + MINUTE, failure: null, returned } };
}

async function keep({ ledger }: Books, ...operations: readonly SandboxOperation[]): Promise<void> {
  for (const operation of operations) assert.equal(await ledger.write(operation, null), true);
}

function reap({ store }: Books, now: Instant, limit = 10): Promise<number> {
  return store.reap({ mode: 'test', now, limit, keepEnded: KEPT });
}

/** The ids that still exist. */
async function existing({ ledger }: Books, ids: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const id of ids) if ((await ledger.read(id)) !== null) found.push(id);
  return found;
}
