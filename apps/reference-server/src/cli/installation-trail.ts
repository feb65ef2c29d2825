import { inProcessScheduler, noRateLimits } from '@gateramp/adapters-store-memory';
import { createGate } from '@gateramp/core';
import type { Store } from '@gateramp/core/ports';
import { nodeCrypto, silentTelemetry } from '@gateramp/core/runtime';
import type pg from 'pg';
import { cliKeysOfProcess } from '../config/cli-config.js';
import { masterKeyOf } from '../data-dir/data-dir.js';
import { openClock } from '../open-clock.js';
import { actingAs } from './administration.js';
import { printNote } from './print.js';

/** What a command did to an installation as a whole. */
interface InstallationEntry {
  /** The store whose trail it is added to, with the connections that tell its time; null for those of a folder. */
  readonly store: Store;
  readonly opsPool: pg.Pool | null;
  readonly action: string;
  readonly target: { readonly type: string; readonly id: string };
  readonly after: object | null;
  /** An id of what was done, which is recorded once; null if it can be done repeatedly. */
  readonly id: string | null;
}

export type RecordInstallation = (entry: InstallationEntry) => Promise<void>;

/** The keys of a trail. */
interface TrailKeys {
  readonly masterKey: Uint8Array;
  readonly oldMasterKeys: readonly Uint8Array[];
}

/** The keys of a data folder. */
export function folderKeys(dir: string): TrailKeys {
  const { masterKey, oldMasterKeys } = cliKeysOfProcess();
  return { masterKey: masterKey ?? masterKeyOf(dir, { makes: false }), oldMasterKeys };
}

/** The keys of a database. */
export function databaseKeys(): TrailKeys {
  const { masterKey, oldMasterKeys } = cliKeysOfProcess();
  if (masterKey === null) throw new Error('GATE_MASTER_KEY is not set.');
  return { masterKey, oldMasterKeys };
}

/**
 * Adds entries to the audit trail of an installation, with the keys that `keysOf` reads. What needs no key, such as a backup, must not
 * fail for lack of one, so without it nothing is recorded, and a warning says why.
 */
export async function installationTrail(store: Store, keysOf: () => TrailKeys): Promise<RecordInstallation> {
  try {
    const crypto = nodeCrypto(keysOf());
    await crypto.open(store);
    return (entry) => record(entry, crypto);
  } catch (error) {
    warn(error);
    return () => Promise.resolve();
  }
}

/** Records what has been done already. A failure is a warning, since the command succeeded. */
export async function recordAfterwards(recording: Promise<void>): Promise<void> {
  await recording.catch(warn);
}

async function record(
  { store, opsPool, action, target, after, id }: InstallationEntry,
  crypto: ReturnType<typeof nodeCrypto>,
): Promise<void> {
  const { clock, close } = await openClock(opsPool === null ? null : { opsPool }, store, silentTelemetry());
  try {
    const [scheduler, limits] = [inProcessScheduler(), noRateLimits()];
    const { admin } = createGate({ store, crypto, clock, scheduler, limits, providers: [] });
    if (id !== null && (await admin.audit.list({ requestId: id, limit: 1 })).length > 0) return;
    const by = actingAs(admin, id);
    await by.audit.record({ action, target, partnerId: null, mode: null, before: null, after });
  } finally {
    close();
  }
}

function warn(error: unknown): void {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n').slice(-1);
  printNote(`Warning: this is not recorded in the audit trail. ${line.trim()}`);
}
