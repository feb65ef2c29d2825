import type { Result } from 'neverthrow';
import { err, ok } from 'neverthrow';
import type { Instant } from '../../domain/instant.js';
import { balanceCounters, balancesOf, type PoolBalance } from '../../domain/pools/pool-balance.js';
import type { Engine } from '../engine.js';
import { findPool, type PoolRefusal, type PoolsCaller } from './find-pool.js';

export interface BalanceReading {
  readonly poolId: string;
  readonly balances: readonly PoolBalance[];
  readonly asOf: Instant;
}

/** All parts of one moment: money that is moved meanwhile is in one of them, never in two or none. */
export async function readBalance(
  engine: Engine,
  caller: PoolsCaller,
  poolId: string,
): Promise<Result<BalanceReading, PoolRefusal>> {
  const found = await findPool(engine, caller, poolId);
  if (found.isErr()) return err(found.error);
  const values = await engine.store.readCounters(balanceCounters(found.value));
  return ok({ poolId, balances: balancesOf(found.value, values), asOf: engine.clock.now(caller.scope.mode) });
}
