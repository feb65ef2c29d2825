import type { Scope } from '@gateramp/core';
import type { Instant, PageRequest, Session } from '@gateramp/core/domain';
import type { SessionFilter } from '@gateramp/core/ports';
import type { Reading, ReadsOf } from './reading.js';
import { parseOne, parseRow, type RowText } from './row-text.js';
import { sessionPage } from './session-pages.js';

export function sessionReads(reading: Reading, schema: string): ReadsOf<'session'> {
  return {
    async find(scope: Scope, id: string): Promise<Session | null> {
      return parseOne<Session>(await reading.rowByKey('sessions', { scope, id }));
    },
    async list(scope: Scope, filter: SessionFilter, page: PageRequest, now: Instant): Promise<readonly Session[]> {
      return (await reading.list<RowText>(sessionPage({ scope, filter, page, now }, schema))).map((row) =>
        parseRow<Session>(row),
      );
    },
  };
}
