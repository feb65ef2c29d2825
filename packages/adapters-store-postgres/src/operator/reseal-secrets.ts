import type { Scope, WebhookEndpoint } from '@gateramp/core';
import type { Database } from '../database.js';
import { parseRow, type RowText } from '../reads/row-text.js';

/** Each endpoint is replaced only if it is still what was read: one changed meanwhile is sealed under the new key anyway. */
export function resealSecrets(
  database: Database,
  schema: string,
): (reseal: (sealed: string, owner: Scope) => string) => Promise<number> {
  const read = `select row::text as row from "${schema}".endpoints`;
  const replace = `update "${schema}".endpoints set row = $4 where partner_id = $1 and mode = $2 and row::text = $3`;
  return async (reseal) => {
    const rows = await database.query<RowText>(read, []);
    for (const found of rows) {
      const endpoint = parseRow<WebhookEndpoint>(found);
      const secrets = endpoint.secrets.map((secret) => ({ ...secret, sealed: reseal(secret.sealed, endpoint) }));
      await database.query(replace, [
        endpoint.partnerId,
        endpoint.mode,
        found.row,
        JSON.stringify({ ...endpoint, secrets }),
      ]);
    }
    return rows.length;
  };
}
