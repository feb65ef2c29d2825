import type { Mode, Scope } from '@gateramp/core';
import type { Instant, JsonText, PageRequest } from '@gateramp/core/domain';
import type { Document, DocumentFilter } from '@gateramp/core/ports';
import { objectIdTime } from '@gateramp/core/runtime';
import { PageQuery } from './page-query.js';
import type { Reading, ReadsOf } from './reading.js';

interface DocumentRow {
  readonly partner_id: string;
  readonly mode: Mode;
  readonly noun: string;
  readonly id: string;
  readonly version: number;
  readonly group_key: string | null;
  readonly created_at: string;
  readonly keep_until: string | null;
  readonly body: JsonText;
}

const COLUMNS = 'd.partner_id, d.mode, d.noun, d.id, d.version, d.group_key, d.created_at, d.keep_until, d.body';

export function documentReads(reading: Reading, schema: string): ReadsOf<'document'> {
  const documents = `select ${COLUMNS} from "${schema}".documents d`;
  const one = `${documents} where d.partner_id = $1 and d.mode = $2 and d.noun = $3 and d.id = $4`;
  return {
    async find({ partnerId, mode }: Scope, noun: string, id: string): Promise<Document | null> {
      const [row] = await reading.find<DocumentRow>(one, [partnerId, mode, noun, id]);
      return row === undefined ? null : documentOf(row);
    },
    async list(scope: Scope, noun: string, filter: DocumentFilter, page: PageRequest): Promise<readonly Document[]> {
      const query = new PageQuery('d', scope, page)
        .where('d.noun = ?', noun)
        .where('d.group_key = ?', filter.group)
        .within(filter, objectIdTime);
      const rows = await reading.list<DocumentRow>({ text: `${documents} ${query.clauses}`, values: query.values });
      return rows.map(documentOf);
    },
  };
}

function documentOf(row: DocumentRow): Document {
  return {
    partnerId: row.partner_id,
    mode: row.mode,
    noun: row.noun,
    id: row.id,
    version: row.version,
    group: row.group_key,
    createdAt: instantOf(row.created_at),
    keepUntil: row.keep_until === null ? null : instantOf(row.keep_until),
    body: row.body,
  };
}

/** The driver returns 64-bit numbers as text. */
function instantOf(text: string): Instant {
  return Number(text);
}

interface CounterRow {
  readonly name: string;
  readonly value: string;
}

export function counterReads(reading: Reading, schema: string) {
  const ofShard = reading.isDistributed ? ' and partner_id = $2' : '';
  // A single statement reads one snapshot: the moves of a commit are visible in all counters or in none.
  const text = `select name, trim_scale(value)::text as value from "${schema}".counters where name = any($1::text[])${ofShard}`;
  return async ({ partnerId }: Scope, names: readonly string[]): Promise<readonly string[]> => {
    const rows = await reading.find<CounterRow>(text, reading.isDistributed ? [names, partnerId] : [names]);
    const values = new Map(rows.map(({ name, value }) => [name, value]));
    return names.map((name) => values.get(name) ?? '0');
  };
}
