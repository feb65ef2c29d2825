import { join } from 'node:path';
import type { Store, Telemetry } from '@gateramp/core/ports';
import type { Adapters } from '../adapters.js';
import type { Config } from '../config/config.js';
import { StartError } from '../start-error.js';
import { openHistory, type History } from './history.js';
import { readRecord } from './history-settings.js';
import { databaseIdentity } from './identity.js';
import { acknowledgedFile, type AcknowledgedFile, redisLog } from './acknowledged-file.js';

const FOLDER_FILE = 'told.json';

/** Watches the history of the configured data; null if it is kept in memory. */
export async function composeHistory(
  { dataDir, stateFile }: Pick<Config, 'dataDir' | 'stateFile'>,
  { database, redis }: Pick<Adapters, 'database' | 'redis'>,
  { store, telemetry }: { readonly store: Store; readonly telemetry: Telemetry },
): Promise<History | null> {
  if (database === null && dataDir === null) return null;
  const file = await openFile(stateFile ?? (dataDir === null ? null : join(dataDir, FOLDER_FILE)));
  if (database === null && file?.isNew === true && (await readRecord(store)) !== null)
    telemetry.note('acknowledged_rows_unknown', { reason: `the folder has no ${FOLDER_FILE}` });
  const logs = [...(file === null ? [] : [file]), ...(redis === null ? [] : [redisLog(redis)])];
  const identify = (): Promise<string | null> =>
    database === null
      ? Promise.resolve(file === null ? null : `folder:${file.token}`)
      : databaseIdentity(database.opsPool);
  const history = await openHistory({ store, identify, logs, telemetry });
  if (database !== null && !database.isBehindProxy)
    database.verifyConnections(async (client) => history.verify(await databaseIdentity(client)));
  return history;
}

async function openFile(path: string | null): Promise<AcknowledgedFile | null> {
  if (path === null) return null;
  return acknowledgedFile(path).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError([`GATE_STATE_FILE: ${path} cannot be used: ${reason}`]);
  });
}
