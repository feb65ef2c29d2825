import { memoryStore } from '@gateramp/adapters-store-memory';
import { expect, it } from 'vitest';
import {
  documentWrite,
  findRow,
  listRows,
  type DocumentKind,
  type DocumentRow,
} from '../../../src/application/documents/document-kind.js';
import { emptyChange } from '../../../src/ports/change.js';

interface Note extends DocumentRow {
  readonly topic: string;
  readonly text: string | null;
}

const notes: DocumentKind<Note> = {
  noun: 'note',
  groupOf: ({ topic }) => topic,
  keepUntilOf: ({ createdAt }) => createdAt + 10,
};
const scope = { partnerId: '65f0c0ffee65f0c0ffee0001', mode: 'test' as const };
const newest = { start: { kind: 'newest' as const }, limit: 10 };

function aNote(id: string, topic: string): Note {
  return { ...scope, id, version: 1, createdAt: 1_000, topic, text: null };
}

it('stores a row as decided, and increments the version with every write', async () => {
  const store = memoryStore();
  const first = aNote('a', 'money');
  await store.commit({ ...emptyChange(scope, 1_000), documents: [documentWrite(notes, first, null)] });
  const next = { ...first, text: 'changed' };
  await store.commit({ ...emptyChange(scope, 1_000), documents: [documentWrite(notes, next, first)] });
  expect(await findRow(store, notes, scope, 'a')).toEqual({ ...next, version: 2 });
  const late = await store.commit({ ...emptyChange(scope, 1_000), documents: [documentWrite(notes, first, first)] });
  expect(late).toEqual({ kind: 'stale' });
  expect((await store.find('document', scope, 'note', 'a'))?.keepUntil).toBe(1_010);
});

it('lists rows of a noun, or of one of its groups', async () => {
  const store = memoryStore();
  for (const note of [aNote('a', 'money'), aNote('b', 'time'), aNote('c', 'money')])
    await store.commit({ ...emptyChange(scope, 1_000), documents: [documentWrite(notes, note, null)] });
  expect((await listRows(store, notes, scope, newest)).map(({ id }) => id)).toEqual(['c', 'b', 'a']);
  expect((await listRows(store, notes, scope, newest, { group: 'money' })).map(({ id }) => id)).toEqual(['c', 'a']);
});
