import { postgresTime } from '@gateramp/adapters-store-postgres';
import type { AdjustableClock, Settings, Telemetry } from '@gateramp/core/ports';
import { adjustableSystemClock, storeClock } from '@gateramp/core/runtime';
import type { OpenDatabase } from './database/open-database.js';
import { StartError } from './start-error.js';

export interface OpenClock {
  readonly clock: AdjustableClock;
  /** False while the database's time is unknown; nothing is decided then. */
  readonly isTrusted: () => boolean;
  readonly close: () => void;
}

const UNTRUSTED =
  'DATABASE_URL: the database reports no time, or contradictory times. Fix its clock, and the clocks of all replicas behind the same address.';

/**
 * Uses the database's time, if there is a database, so that all processes have the same; the test clock's offset is stored in the settings.
 */
export async function openClock(
  database: Pick<OpenDatabase, 'opsPool'> | null,
  settings: Settings,
  telemetry: Telemetry,
): Promise<OpenClock> {
  // On the operators' connections: the others may all be in use, and waiting for one would make the sample useless.
  const shared = database === null ? null : storeClock(postgresTime(database.opsPool), { telemetry });
  const clock = shared === null ? adjustableSystemClock(settings) : adjustableSystemClock(settings, shared);
  try {
    await shared?.open();
    if (shared?.isTrusted() === false) throw new StartError([UNTRUSTED]);
    await clock.open();
  } catch (error) {
    shared?.close();
    throw error;
  }
  return { clock, isTrusted: () => shared?.isTrusted() ?? true, close: () => shared?.close() };
}
