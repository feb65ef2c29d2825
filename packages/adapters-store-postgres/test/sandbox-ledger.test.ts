import type { SandboxLedger, SandboxOperation } from '@gateramp/adapters-provider-sandbox';
import { DAY, MINUTE } from '@gateramp/core/domain';
import type { Store } from '@gateramp/core/ports';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { postgresSandboxLedger, postgresStore } from '../src/index.js';
import { freshSchema, testPool } from './postgres-subject.js';

const T0 = Date.UTC(2030, 0, 1);
const KEPT = 30 * DAY;

let schema: string;
let pool: pg.Pool;
let store: Store;
let ledger: SandboxLedger;
beforeAll(async () => {
  pool = await testPool(4);
  schema = await freshSchema(pool);
  store = postgresStore(pool, { schema });
  ledger = postgresSandboxLedger(pool, { schema });
}, 60_000);
beforeEach(() => pool.query(`delete from ${schema}.sandbox_operations`));
afterAll(() => pool.end());

const FAILED = {
  step: 'failed',
  failure: { code: 'payment_declined', stage: 'payment', message: 'Declined.', retryable: true },
} as const;
const AWAITING = { step: 'awaiting', action: { type: 'kyc', level: 'basic', fields: [] }, ahead: [] } as const;

function anOperation(
  operationId: string,
  state: SandboxOperation['state'],
  changes: Partial<SandboxOperation> = {},
): SandboxOperation {
  return {
    operationId,
    mode: 'test',
    version: 1,
    plan: null,
    forced: null,
    state,
    effects: [],
    updatedAt: T0,
    ...changes,
  };
}

/** Money that moves since `T0` and settles a minute later. */
function moving(returnedAt: number | null = null): SandboxOperation['state'] {
  const returned = returnedAt === null ? null : { kind: 'charged_back' as const, at: returnedAt };
  return { step: 'moving', since: T0, ending: { at: T0 + MINUTE, failure: null, returned } };
}

async function keep(...operations: readonly SandboxOperation[]): Promise<void> {
  for (const operation of operations) expect(await ledger.write(operation, null)).toBe(true);
}

async function kept(): Promise<readonly string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select operation_id as id from ${schema}.sandbox_operations order by 1`,
  );
  return rows.map(({ id }) => id);
}

describe("the sandbox's books in the database", () => {
  it('keep an operation as it is, and replace only the version that was read', async () => {
    const first = anOperation('a', AWAITING);
    const second = anOperation('a', FAILED, { version: 2 });
    expect(await ledger.read('a')).toBeNull();
    expect([await ledger.write(first, null), await ledger.write(first, null)]).toEqual([true, false]);
    expect([await ledger.write(second, 7), await ledger.write(second, 1), await ledger.write(second, 1)]).toEqual([
      false,
      true,
      false,
    ]);
    expect(await ledger.read('a')).toEqual(second);
  });

  it('forget an operation thirty days after it came to rest, money that comes back included', async () => {
    await keep(
      anOperation('cancelled', { step: 'cancelled' }),
      anOperation('failed', FAILED),
      anOperation('returned', moving(T0 + 2 * MINUTE)),
      anOperation('settled', moving()),
    );
    expect(await store.reap({ mode: 'test', now: T0 + KEPT - 1, limit: 10, keepEnded: KEPT })).toBe(0);
    expect(await store.reap({ mode: 'test', now: T0 + KEPT, limit: 10, keepEnded: KEPT })).toBe(2);
    expect(await kept()).toEqual(['returned', 'settled']);
    expect(await store.reap({ mode: 'test', now: T0 + KEPT + MINUTE, limit: 10, keepEnded: KEPT })).toBe(1);
    expect(await kept()).toEqual(['returned']);
    expect(await store.reap({ mode: 'test', now: T0 + KEPT + 2 * MINUTE, limit: 10, keepEnded: KEPT })).toBe(1);
  });

  it('never forget one that somebody has yet to end', async () => {
    const open = { step: 'moving', since: T0, ending: null } as const;
    await keep(
      anOperation('awaiting', AWAITING),
      anOperation('moving', open),
      anOperation('planned', { step: 'planned' }),
    );
    await keep(anOperation('revived', FAILED));
    expect(await ledger.write(anOperation('revived', open, { version: 2 }), 1)).toBe(true);
    expect(await store.reap({ mode: 'test', now: T0 + 100 * KEPT, limit: 10, keepEnded: KEPT })).toBe(0);
  });

  it('are reaped in one mode without touching the other, and at most as many as asked', async () => {
    await keep(...['a', 'b', 'c'].map((id) => anOperation(id, FAILED)), anOperation('live', FAILED, { mode: 'live' }));
    expect([
      await store.reap({ mode: 'test', now: T0 + KEPT, limit: 2, keepEnded: KEPT }),
      await store.reap({ mode: 'test', now: T0 + KEPT, limit: 2, keepEnded: KEPT }),
      await store.reap({ mode: 'test', now: T0 + KEPT, limit: 2, keepEnded: KEPT }),
    ]).toEqual([2, 1, 0]);
    expect(await kept()).toEqual(['live']);
  });
});

describe('books that cannot be reached', () => {
  const unreachable = (): pg.Pool => new pg.Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/none' });

  it('are an outage, so that the caller hears 503 and asks again', async () => {
    const away = unreachable();
    const books: SandboxLedger = postgresSandboxLedger(away);
    const calls = [books.read('a'), books.write(anOperation('a', FAILED), null)];
    for (const result of await Promise.allSettled(calls))
      expect(result).toMatchObject({ status: 'rejected', reason: { outage: true } });
    await away.end();
  });

  it('are told from a fault of ours, which is none', async () => {
    const broken = anOperation('a', FAILED, { version: 1e12 });
    await expect(ledger.write(broken, null)).rejects.not.toHaveProperty('outage');
  });
});
