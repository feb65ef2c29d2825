import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite, sqliteOperator, sqliteStore } from '@gateramp/adapters-store-sqlite';
import { createTestGate } from '@gateramp/testing';
import { expect, it, onTestFinished } from 'vitest';
import { checkout } from '../checkout.js';

it('a purchase that a database restore has lost is not sold twice: its next attempt has the same operation at the provider', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateramp-restored-'));
  const [file, backup] = [join(folder, 'gate.db'), join(folder, 'backup.db')];
  const original = openSqlite(file);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  onTestFinished(() => original.close());
  const t = await createTestGate({ ports: { store: sqliteStore(original) } });
  const shop = await checkout(t);
  await sqliteOperator(original).backup(backup);
  const lost = await shop.begin();
  expect(lost.status).toBe(201);
  const { operationId } = await shop.intent(String(lost.json['id']));
  await t.clock.advance('1h');
  const paid = await t.ledger.effects(operationId, t.clock.now('test'));
  expect(paid.map(({ kind }) => kind)).toEqual(['charge', 'delivery']);

  const restored = openSqlite(backup);
  onTestFinished(() => restored.close());
  const after = t.restart({ store: sqliteStore(restored) });
  const again = await shop.on(after).begin();
  expect(again.status).toBe(201);
  expect(again.json['id']).not.toBe(lost.json['id']);
  await after.clock.advance('1h');
  expect(
    (await after.store.find('intent', { partnerId: t.partner.id, mode: 'test' }, String(again.json['id'])))
      ?.operationId,
  ).toBe(operationId);
  expect(await t.ledger.effects(operationId, after.clock.now('test'))).toEqual(paid);
  expect(await after.retrieveSession(shop.id)).toMatchObject({ status: 'completed' });
});
