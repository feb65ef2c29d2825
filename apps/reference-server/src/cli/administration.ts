import { hostname, userInfo } from 'node:os';
import { inProcessScheduler, noRateLimits } from '@gateramp/adapters-store-memory';
import {
  InstallationError,
  postgresLegsStore,
  postgresOperator,
  postgresStore,
} from '@gateramp/adapters-store-postgres';
import { sqliteLegsStore, sqliteOperator, sqliteStore } from '@gateramp/adapters-store-sqlite';
import { createGate, type ApiKey, type Partner } from '@gateramp/core';
import type { Actor } from '@gateramp/core/domain';
import type { Crypto, Store } from '@gateramp/core/ports';
import { gateClock, type GateClock, nodeCrypto, sandboxClocks, silentTelemetry } from '@gateramp/core/runtime';
import type { LegsStore } from '@gateramp/provider-legs';
import type { Operator } from '../adapters.js';
import type { DatabaseConfig } from '../config/config.js';
import { cliConfigOfProcess } from '../config/cli-config.js';
import { dataDirError } from '../data-dir/data-dir-error.js';
import { masterKeyOf, openExistingDataFile } from '../data-dir/data-dir.js';
import { checkDistribution, distributionOf } from '../database/distribution.js';
import { databaseError, openDatabase, type OpenDatabase } from '../database/open-database.js';
import { SCHEMA } from '../database/schema.js';
import { notingLegWrites, notingWrites, refusingWrites } from '../move/noted-writes.js';
import { refuseElsewhere } from '../move/refuse-elsewhere.js';
import { extensionsOf, type Gate } from '../gate.js';
import { openClock } from '../open-clock.js';
import { CommandError } from './command-error.js';

/** Options of every command that changes something, for the audit trail. */
export interface AuditOptions {
  readonly actor?: string;
  readonly reason?: string;
}

let actor: Actor = { type: 'cli', id: 'gate' };
let why: { readonly reason?: string } = {};

/** Names the operator and the reason of this process's one command: by default the user of the machine, and none. */
export function actAs({ actor: id, reason }: AuditOptions): void {
  actor = { type: 'cli', id: id ?? `${userName()}@${hostname()}` };
  why = reason === undefined ? {} : { reason };
}

/** `gate.admin`, with what the extensions of this server add. */
export type Administration = Gate['admin'];

/** The administration by the operator of this command. */
export function actingAs<Acting>(
  admin: { readonly as: (by: Actor, reason: typeof why & { readonly requestId?: string }) => Acting },
  requestId: string | null = null,
): Acting {
  return admin.as(actor, requestId === null ? why : { ...why, requestId });
}

/** The audited target of commands that concern no single partner. */
export const INSTALLATION = { target: { type: 'installation', id: 'gate' }, partnerId: null, mode: null } as const;

/** A container may run as a user without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** The dependencies of a command: the engine's administration API, and data beyond it. */
export interface CommandContext {
  readonly admin: Administration;
  /** Invitations to the console. */
  readonly door: Gate['console'];
  readonly store: Store;
  readonly operator: Operator;
  readonly crypto: Crypto;
  /** The store of provider legs. */
  readonly legsStore: LegsStore;
  /** The database's time; the time of this machine for a data folder. */
  readonly clock: GateClock;
}

/** Opens the data for one command and closes it again. The installation must exist: a command never migrates or creates one implicitly. */
export async function withDatabase<Result>(work: (context: CommandContext) => Promise<Result>): Promise<Result> {
  const { place, masterKey, oldMasterKeys } = cliConfigOfProcess();
  const keys = { masterKey, oldMasterKeys };
  return place.kind === 'folder' ? inFolder(place.dir, keys, work) : inPostgres(place.database, keys, work);
}

interface Keys {
  readonly masterKey: Uint8Array | null;
  readonly oldMasterKeys: readonly Uint8Array[];
}

type Work<Result> = (context: CommandContext) => Promise<Result>;

async function inPostgres<Result>(config: DatabaseConfig, keys: Keys, work: Work<Result>): Promise<Result> {
  const opened = openDatabase(config, 'gateramp cli', () => undefined);
  const { pool, close } = opened;
  try {
    const store = notingWrites(postgresStore(pool, { schema: SCHEMA, distribution: distributionOf(config) }));
    const legsStore = notingLegWrites(store, postgresLegsStore(pool, { schema: SCHEMA }));
    await checkDistribution(pool, config);
    await refuseElsewhere(store, { dataDir: null, serves: false });
    return await withStore(
      {
        store,
        database: opened,
        operator: postgresOperator(pool, { schema: SCHEMA, distribution: distributionOf(config) }),
        legsStore,
      },
      keys,
      work,
    );
  } catch (error) {
    throw error instanceof InstallationError ? new CommandError(error.message) : databaseError(error, config.url);
  } finally {
    await close();
  }
}

async function inFolder<Result>(dir: string, keys: Keys, work: Work<Result>): Promise<Result> {
  const file = refusingWrites(openExistingDataFile(dir), dir);
  try {
    const masterKey = keys.masterKey ?? masterKeyOf(dir, { makes: false });
    const opened = {
      store: sqliteStore(file),
      database: null,
      operator: sqliteOperator(file),
      legsStore: sqliteLegsStore(file),
    };
    await refuseElsewhere(opened.store, { dataDir: dir, serves: false });
    return await withStore(opened, { ...keys, masterKey }, work);
  } catch (error) {
    throw dataDirError(error, dir);
  } finally {
    file.close();
  }
}

interface Opened extends Pick<CommandContext, 'store' | 'operator' | 'legsStore'> {
  readonly database: OpenDatabase | null;
}

async function withStore<Result>(
  { store, database, operator, legsStore }: Opened,
  keys: Keys,
  work: Work<Result>,
): Promise<Result> {
  const crypto = nodeCrypto(keys);
  await crypto.open(store);
  const { clock, close: closeClock } = await openClock(database, store, silentTelemetry());
  const clocks = sandboxClocks(clock, store, { mayMove: false, onError: () => undefined });
  await clocks.refresh();
  const gate = createGate({
    store,
    operator,
    crypto,
    clock,
    scheduler: inProcessScheduler(),
    limits: noRateLimits(),
    providers: [],
    extensions: extensionsOf(),
  });
  const [admin, door] = [actingAs(gate.admin), gate.console.as(actor, why)];
  const context = { admin, door, store, operator, crypto, legsStore, clock: gateClock(clocks) };
  return work(context).finally(closeClock);
}

export async function partnerNamed(store: Store, id: string): Promise<Partner> {
  const partner = await store.findPartner(id);
  if (partner === null) throw new CommandError(`No such partner: "${id}". List partners with: gate partners list`);
  return partner;
}

const HASH_START = /^[0-9a-f]{8,64}$/;

/** Finds a key by its id, which is a prefix of its hash, or by the key itself. */
export async function keyNamed({ operator, crypto }: CommandContext, given: string): Promise<ApiKey> {
  const start = HASH_START.test(given) ? given : crypto.hash(given);
  const [key, another] = await operator.keysLike(start);
  if (key === undefined) throw new CommandError('No such key. List keys with: gate keys list --partner <id>');
  if (another !== undefined) throw new CommandError(`Several keys begin with ${given}; use more characters of the id.`);
  return key;
}
