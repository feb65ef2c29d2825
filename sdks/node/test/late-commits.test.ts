import { expect, it } from 'vitest';
import { LATE_LISTS, serverOfLateRows } from '../../../tests/services/late-rows.js';
import { Gate } from '../src/index.js';

it('on Postgres, a walk over each list yields rows that are committed behind it', async () => {
  const { origin, secretKey, list } = await serverOfLateRows();
  const gate = new Gate(secretKey, { baseUrl: origin });
  const lists = { sessions: gate.gateSessions, transactions: gate.transactions, deliveries: gate.webhooks.deliveries };
  for (const name of LATE_LISTS) {
    const { cursor, newer, commit } = await list(name);
    const found: string[] = [];
    let late: string | undefined;
    for await (const { id } of lists[name].list({ ending_before: cursor, limit: 2 })) {
      found.push(id);
      if (id === newer.at(-1)) late = await commit();
    }
    expect(found, name).toEqual([...newer, late]);
  }
});

/** Of docs/guides/reconcile.md, for each list. */
it('on Postgres, a reader who begins a minute before the newest row of the last time reads late rows', async () => {
  const { origin, secretKey, list } = await serverOfLateRows();
  const gate = new Gate(secretKey, { baseUrl: origin });
  const lists = { sessions: gate.gateSessions, transactions: gate.transactions, deliveries: gate.webhooks.deliveries };
  for (const name of LATE_LISTS) {
    const read = new Set<string>();
    const readNew = async (since: string): Promise<string> => {
      let next = Date.parse(since);
      for await (const { id, created_at: at } of lists[name].list({ created_after: since, limit: 2 })) {
        read.add(id);
        next = Math.max(next, Date.parse(at) - 60_000);
      }
      return new Date(next).toISOString();
    };
    const { newer, commit } = await list(name);
    const since = await readNew('2026-01-01');
    expect([...read], name).toEqual(expect.arrayContaining([...newer]));
    const late = await commit();
    expect(read.has(late)).toBe(false);
    await readNew(since);
    expect(read.has(late)).toBe(true);
  }
});
