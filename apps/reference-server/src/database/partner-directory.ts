import type { ApiKey, Partner } from '@gateramp/core';
import type { Pool } from 'pg';
import { SCHEMA } from './schema.js';

const PARTNERS = `select row::text as row from ${SCHEMA}.partners order by id`;
const KEYS_OF = `select row::text as row from ${SCHEMA}.api_keys where partner_id = $1 order by (row->>'createdAt')::numeric, hash`;
const KEYS_LIKE = `select row::text as row from ${SCHEMA}.api_keys where hash >= $1 and hash < $2 limit 2`;

/** What an administrator looks through and the engine never asks for: all partners, all keys of one. */
export interface PartnerDirectory {
  partners(): Promise<readonly Partner[]>;
  keysOf(partnerId: string): Promise<readonly ApiKey[]>;
  /** Keys whose hash begins so, at most two: enough to see that one is not meant alone. */
  keysLike(hashStart: string): Promise<readonly ApiKey[]>;
}

export function partnerDirectory(pool: Pool): PartnerDirectory {
  async function rows<Row>(text: string, values: readonly string[]): Promise<readonly Row[]> {
    const found = await pool.query<{ row: string }>(text, [...values]);
    // The store wrote each as the JSON of what it is.
    return found.rows.map(({ row }) => JSON.parse(row) as Row);
  }
  return {
    partners: () => rows<Partner>(PARTNERS, []),
    keysOf: (partnerId) => rows<ApiKey>(KEYS_OF, [partnerId]),
    // "g" follows every hexadecimal digit.
    keysLike: (hashStart) => rows<ApiKey>(KEYS_LIKE, [hashStart, `${hashStart}g`]),
  };
}
