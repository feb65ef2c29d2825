import { isSameCode, type Scope } from '@gateramp/core/domain';
import {
  type ExtensionContext,
  type Engine,
  findRow,
  GateArgumentError,
  partnerIdProblems,
  throwIfAny,
} from '@gateramp/core/extension';
import { movePoolBalance, type PoolTerms, savePool, savePoolsAccess } from './administer-pools.js';
import { accessProblems, movementProblems, poolProblems } from './check-pools.js';
import { balanceCounters, balancesOf, type PoolBalance } from './pool-trade.js';
import { type AccessTerms, currenciesOf, type Pool, type PoolMovement } from './pool.js';
import { POOLS, poolsOf } from './read-pools.js';

/** A pool and its current balances. */
export interface PoolWithBalance extends PoolTerms {
  readonly balances: readonly PoolBalance[];
}

/** Pools exist in live mode only. */
export interface PoolAdministration {
  /** All pools of a partner, by id. */
  listPools(partnerId: string): Promise<readonly PoolWithBalance[]>;
  /**
   * Creates an empty pool for a partner, or changes its spread and fee for new quotes. A pool id belongs to one partner permanently, and a
   * pool's asset, network and currency never change.
   */
  savePool(partnerId: string, pool: PoolTerms): Promise<void>;
  /** Enables or suspends a partner's access to its pools; by default it is active and approved. */
  setPoolsAccess(partnerId: string, access: AccessTerms): Promise<void>;
  /**
   * Deposits into a pool, or withdraws available funds (negative amount). Each `reference` counts once per pool and currency. `known`:
   * repeated, nothing changed, so retries are safe. `other_amount`: the reference was used with a different amount; nothing was moved.
   * `insufficient`: the available balance is too low; nothing was moved.
   */
  movePoolBalance(
    partnerId: string,
    movement: PoolMovement,
  ): Promise<'moved' | 'known' | 'other_amount' | 'insufficient'>;
}

export function poolAdministration({ engine, ready, by }: ExtensionContext): PoolAdministration {
  return {
    listPools: async (partnerId) => {
      throwIfAny('listPools received invalid arguments', partnerIdProblems(partnerId));
      const pools = await poolsOf(engine, live(partnerId));
      return Promise.all(pools.map((pool) => withBalance(engine, live(partnerId), pool)));
    },
    savePool: async (partnerId, pool) => {
      throwIfAny('savePool received invalid arguments', partnerIdProblems(partnerId), poolProblems(pool));
      await ready();
      const saved = await savePool(engine, live(partnerId), pool, by);
      throwIfAny('savePool received invalid arguments', SAVE_PROBLEMS[saved]);
    },
    setPoolsAccess: async (partnerId, access) => {
      throwIfAny('setPoolsAccess received invalid arguments', partnerIdProblems(partnerId), accessProblems(access));
      await ready();
      await savePoolsAccess(engine, live(partnerId), access, by);
    },
    movePoolBalance: async (partnerId, movement) => {
      const what = 'movePoolBalance received invalid arguments';
      throwIfAny(what, partnerIdProblems(partnerId), movementProblems(movement));
      const pool = await findRow(engine.store, POOLS, live(partnerId), movement.poolId);
      if (pool === null) throw new GateArgumentError(what, ['This partner has no pool with this poolId.']);
      const currency = currenciesOf(pool).find((code) => isSameCode(code, movement.currency));
      if (currency === undefined)
        throw new GateArgumentError(what, [
          `currency must be one of the pool's two, ${currenciesOf(pool).join(' and ')}.`,
        ]);
      await ready();
      return movePoolBalance(engine, live(partnerId), { ...movement, currency }, by);
    },
  };
}

async function withBalance({ store }: Engine, scope: Scope, pool: Pool): Promise<PoolWithBalance> {
  const { id, asset, network, currency, spreadBps, feeBps } = pool;
  const balances = balancesOf(pool, await store.readCounters(scope, balanceCounters(pool)));
  return { id, asset, network, currency, spreadBps, feeBps, balances };
}

function live(partnerId: string): Scope {
  return { partnerId, mode: 'live' };
}

const SAVE_PROBLEMS = {
  saved: [],
  others: ['id belongs to a pool of another partner.'],
  holds_another: ['asset, network and currency of a pool cannot be changed; create another pool.'],
} as const;
