import { type AuditContext, decimal, isSameCode, type Scope } from '@gateramp/core/domain';
import { apply, documentWrite, type Engine, execute, findRow } from '@gateramp/core/extension';
import { type Change, emptyChange } from '@gateramp/core/ports';
import { ok } from 'neverthrow';
import { balanceCounter } from './pool-trade.js';
import {
  ACCESS_ID,
  type AccessTerms,
  type MadeMovement,
  movementId,
  type Pool,
  type PoolMovement,
  repeatedMovement,
} from './pool.js';
import { ownerSetting, POOL_MOVEMENTS, POOLS, POOLS_ACCESS } from './read-pools.js';

export type PoolTerms = Pick<Pool, 'id' | 'asset' | 'network' | 'currency' | 'spreadBps' | 'feeBps'>;

/**
 * Creates a pool or changes its spread and fee; existing quotes keep theirs. `others`: the id belongs to another partner. `holds_another`:
 * the pool holds other currencies, which its balances are in.
 */
export async function savePool(
  engine: Engine,
  scope: Scope,
  terms: PoolTerms,
  by: AuditContext,
): Promise<'saved' | 'others' | 'holds_another'> {
  const owner = await engine.store.swapSetting(ownerSetting(terms.id), null, scope.partnerId);
  if (owner !== scope.partnerId) return 'others';
  const done = await apply<Pool | null, 'saved' | 'holds_another'>(engine, {
    load: () => findRow(engine.store, POOLS, scope, terms.id),
    decide: (before) => {
      if (before !== null && !holdsTheSame(before, terms)) return { change: null, value: 'holds_another' };
      const now = engine.clock.now(scope);
      // Balances are kept by the codes as they were first written.
      const { asset, network, currency } = before ?? terms;
      const next: Pool = {
        ...scope,
        version: 0,
        createdAt: before?.createdAt ?? now,
        ...terms,
        asset,
        network,
        currency,
      };
      if (before !== null && sameTerms(before, terms)) return { change: null, value: 'saved' };
      return {
        change: { ...emptyChange(scope, now), documents: [documentWrite(POOLS, next, before)] },
        value: 'saved',
        audited: [{ ...by, ...scope, action: 'pool.save', target: { type: 'pool', id: next.id }, before, after: next }],
      };
    },
  });
  return done.value;
}

function sameTerms(before: Pool, { spreadBps, feeBps }: PoolTerms): boolean {
  return before.spreadBps === spreadBps && before.feeBps === feeBps;
}

function holdsTheSame(a: PoolTerms, b: PoolTerms): boolean {
  return isSameCode(a.asset, b.asset) && isSameCode(a.network, b.network) && isSameCode(a.currency, b.currency);
}

export async function savePoolsAccess(
  engine: Engine,
  scope: Scope,
  terms: AccessTerms,
  by: AuditContext,
): Promise<void> {
  await apply(engine, {
    load: () => findRow(engine.store, POOLS_ACCESS, scope, ACCESS_ID),
    decide: (before) => {
      const now = engine.clock.now(scope);
      const next = { ...scope, id: ACCESS_ID, version: 0, createdAt: before?.createdAt ?? now, ...terms } as const;
      if (before !== null && before.status === terms.status && before.kyc === terms.kyc)
        return { change: null, value: null };
      const documents = [documentWrite(POOLS_ACCESS, next, before)];
      const target = { type: 'partner', id: scope.partnerId };
      return {
        change: { ...emptyChange(scope, now), documents },
        value: null,
        audited: [{ ...by, ...scope, action: 'pools_access.set', target, before, after: next }],
      };
    },
  });
}

/**
 * Changes the available balance once per reference. It cannot fall below zero, and amounts reserved by trades cannot be withdrawn.
 * `other_amount`: the reference was used with another amount.
 */
export async function movePoolBalance(
  engine: Engine,
  scope: Scope,
  movement: PoolMovement,
  by: AuditContext,
): Promise<'moved' | 'known' | 'other_amount' | 'insufficient'> {
  const { poolId, currency, amount } = movement;
  const id = movementId(movement);
  const name = balanceCounter({ ...scope, poolId }, currency, 'available');
  const decide = (now: number) => {
    const made: MadeMovement = { ...scope, id, version: 0, createdAt: now, ...movement };
    const change: Change = {
      ...emptyChange(scope, now),
      once: [`pool_movement/${scope.partnerId}/${scope.mode}/${id}`],
      documents: [documentWrite(POOL_MOVEMENTS, made, null)],
      counters: [{ name, delta: amount, atLeast: decimal.compare(amount, '0') < 0 ? '0' : null }],
    };
    const target = { type: 'pool', id: poolId };
    const audited = [{ ...by, ...scope, action: 'pool.move_balance', target, before: null, after: made }];
    return ok({ change, value: null, audited });
  };
  const done = await execute<number, null, never>(engine, {
    load: () => Promise.resolve(ok(engine.clock.now(scope))),
    decide,
  });
  if (done.isErr()) throw new Error('A movement has no key to be refused for.');
  switch (done.value.kind) {
    case 'fresh':
      return 'moved';
    case 'duplicate':
      return repeatedMovement(await findRow(engine.store, POOL_MOVEMENTS, scope, id), movement);
    case 'insufficient':
      return 'insufficient';
    default:
      throw new Error(`Unexpected outcome of a movement: ${done.value.kind}.`);
  }
}
