import type { Engine } from '../../application/engine.js';
import {
  movePoolBalance,
  savePool,
  savePoolsAccess,
  type PoolTerms,
} from '../../application/pools/administer-pools.js';
import { findRow } from '../../application/documents/document-kind.js';
import { POOLS, poolsOf } from '../../application/pools/read-pools.js';
import type { Scope } from '../../domain/mode.js';
import { balanceCounters, balancesOf, type PoolBalance } from '../../domain/pools/pool-trade.js';
import { type AccessTerms, currenciesOf, type Pool, type PoolMovement } from '../../domain/pools/pool.js';
import { partnerIdProblems } from '../checks/check-administration.js';
import { accessProblems, movementProblems, poolProblems } from '../checks/check-pools.js';
import { throwIfAny } from '../checks/argument-error.js';

/** A pool and its current balances. */
export interface PoolWithBalance extends PoolTerms {
  readonly balances: readonly PoolBalance[];
}

/** Pools are live only. */
export interface PoolAdministration {
  /** Every pool of a partner, by id. */
  listPools(partnerId: string): Promise<readonly PoolWithBalance[]>;
  /**
   * Makes a pool of a partner, empty, or changes its spread and fee from the next quote on. An id is one partner's for good, and the asset,
   * network and currency of a pool never change.
   */
  savePool(partnerId: string, pool: PoolTerms): Promise<void>;
  /** Lets a partner in, or keeps it out, whatever pools it has; by default it is active and approved. */
  setPoolsAccess(partnerId: string, access: AccessTerms): Promise<void>;
  /**
   * Puts money into a pool, or takes available money out (a negative amount). Each `reference` counts once for its pool and currency:
   * `known` has changed nothing, and so it is safe to say again. `other_amount`: the reference has moved another amount before; nothing was
   * moved. `insufficient`: so much is not available; nothing was moved.
   */
  movePoolBalance(
    partnerId: string,
    movement: PoolMovement,
  ): Promise<'moved' | 'known' | 'other_amount' | 'insufficient'>;
}

export function poolAdministration(engine: Engine): PoolAdministration {
  return {
    listPools: async (partnerId) => {
      throwIfAny('listPools received invalid arguments', partnerIdProblems(partnerId));
      const pools = await poolsOf(engine, live(partnerId));
      return Promise.all(pools.map((pool) => standingOf(engine, pool)));
    },
    savePool: async (partnerId, pool) => {
      throwIfAny('savePool received invalid arguments', partnerIdProblems(partnerId), poolProblems(pool));
      const saved = await savePool(engine, live(partnerId), pool);
      throwIfAny('savePool received invalid arguments', SAVE_PROBLEMS[saved]);
    },
    setPoolsAccess: async (partnerId, access) => {
      throwIfAny('setPoolsAccess received invalid arguments', partnerIdProblems(partnerId), accessProblems(access));
      await savePoolsAccess(engine, live(partnerId), access);
    },
    movePoolBalance: async (partnerId, movement) => {
      const what = 'movePoolBalance received invalid arguments';
      throwIfAny(what, partnerIdProblems(partnerId), movementProblems(movement));
      const pool = await findRow(engine.store, POOLS, live(partnerId), movement.poolId);
      if (pool === null) throwIfAny(what, ['This partner has no pool with this poolId.']);
      else if (!currenciesOf(pool).includes(movement.currency))
        throwIfAny(what, [`currency must be one of the pool's two, ${currenciesOf(pool).join(' and ')}.`]);
      return movePoolBalance(engine, live(partnerId), movement);
    },
  };
}

async function standingOf({ store }: Engine, pool: Pool): Promise<PoolWithBalance> {
  const { id, asset, network, currency, spreadBps, feeBps } = pool;
  const balances = balancesOf(pool, await store.readCounters(balanceCounters(pool)));
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
