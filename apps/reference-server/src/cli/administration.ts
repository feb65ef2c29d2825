import { inProcessScheduler, noRateLimits } from '@gateramp/adapters-store-memory';
import {
  InstallationFault,
  postgresOperator,
  postgresStore,
  type PostgresOperator,
} from '@gateramp/adapters-store-postgres';
import { createGate, type Administration, type ApiKey, type Partner } from '@gateramp/core';
import type { Clock, Crypto, Store } from '@gateramp/core/ports';
import { nodeCrypto, silentTelemetry } from '@gateramp/core/runtime';
import { cliConfigOfProcess } from '../config-cli.js';
import { databaseFault, openDatabase } from '../database/open-database.js';
import { SCHEMA } from '../database/schema.js';
import { openClock } from '../open-clock.js';
import { StartFault } from '../start-fault.js';
import { CommandFault } from './command-fault.js';

/** What a command works with: the engine's own administration, and what it has no question for. */
export interface CommandContext {
  readonly admin: Administration;
  readonly store: Store;
  readonly operator: PostgresOperator;
  readonly crypto: Crypto;
  /** The database's time. */
  readonly clock: Clock;
}

/** Opens the database for one command and closes it again. The tables must be there: a command never migrates by the way. */
export async function withDatabase<Result>(work: (context: CommandContext) => Promise<Result>): Promise<Result> {
  const { database, masterKey, oldMasterKeys } = cliConfigOfProcess();
  const opened = openDatabase(database, 'gateramp cli', () => undefined);
  const { pool, close } = opened;
  try {
    const store = postgresStore(pool, { schema: SCHEMA });
    const crypto = nodeCrypto({ masterKey, oldMasterKeys });
    await crypto.open(store);
    const { clock, close: closeClock } = await openClock(opened, store, silentTelemetry());
    const gate = createGate({
      store,
      crypto,
      clock,
      scheduler: inProcessScheduler(),
      limits: noRateLimits(),
      providers: [],
    });
    const context = { admin: gate.admin, store, operator: postgresOperator(pool, { schema: SCHEMA }), crypto, clock };
    return await work(context).finally(closeClock);
  } catch (error) {
    throw error instanceof InstallationFault
      ? new CommandFault(error.message)
      : plainly(databaseFault(error, database.url));
  } finally {
    await close();
  }
}

export async function partnerNamed(store: Store, id: string): Promise<Partner> {
  const partner = await store.findPartner(id);
  if (partner === null) throw new CommandFault(`There is no partner "${id}". See: gate partners list`);
  return partner;
}

const HASH_START = /^[0-9a-f]{8,64}$/;

/** By its id, which is the beginning of its hash, or by the key itself. */
export async function keyNamed({ operator, crypto }: CommandContext, given: string): Promise<ApiKey> {
  const start = HASH_START.test(given) ? given : crypto.hash(given);
  const [key, another] = await operator.keysLike(start);
  if (key === undefined) throw new CommandFault('There is no such key. See: gate keys list --partner <id>');
  if (another !== undefined) throw new CommandFault(`Several keys begin with ${given}; give more of the id.`);
  return key;
}

function plainly(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StartFault || error instanceof CommandFault) return error;
  if (/sealed under master key|does not open under/.test(error.message))
    return new CommandFault(`GATE_MASTER_KEY: ${error.message}`);
  return error;
}
