import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { createGate } from '@gateramp/core';
import { DAY } from '@gateramp/core/domain';
import { emptyChange } from '@gateramp/core/ports';
import { sandbox } from '@gateramp/extensions/sandbox';
import { describe, expect, it } from 'vitest';
import { customerOf } from '../../../src/application/embed/saved-methods.js';
import { assemble } from '../../../src/gate/assemble.js';
import { quoteFor } from '../rails/rails.js';
import { CARD } from '../saved-methods/buyers.js';
import { checkoutFor, MINUTE, quoteOf, world } from './sandbox.js';

describe('checkpoints', () => {
  it('have a name each, are listed newest first and deleted, and each change is an entry of the audit trail', async () => {
    const { t, scope, checkpoints, create } = await world();
    const [first, second] = [await create('one'), await create('two')];
    expect((await checkpoints.create(t.partner.id, 'two'))._unsafeUnwrapErr().code).toBe('name_taken');
    expect((await checkpoints.list(t.partner.id)).map(({ name }) => name)).toEqual(['two', 'one']);
    (await checkpoints.delete(t.partner.id, second.id))._unsafeUnwrap();
    expect((await checkpoints.delete(t.partner.id, second.id))._unsafeUnwrapErr().code).toBe('not_found');
    expect((await checkpoints.return(t.partner.id, second.id))._unsafeUnwrapErr().code).toBe('not_found');
    (await checkpoints.return(t.partner.id, first.id))._unsafeUnwrap();
    expect((await checkpoints.list(t.partner.id)).map(({ name }) => name)).toEqual(['one']);
    const entries = await t.gate.admin.audit.list({ limit: 4 });
    expect(entries.map(({ action, partnerId, mode }) => [action, partnerId, mode])).toEqual(
      ['return', 'delete', 'create', 'create'].map((verb) => [`checkpoint.${verb}`, scope.partnerId, 'test']),
    );
    expect(await t.gate.admin.audit.verify()).toMatchObject({ isIntact: true });
  });

  it('are at most ten, of at most 500 sessions, and belong to one partner', async () => {
    const { t, checkpoints, create } = await world();
    for (let count = 0; count < 10; count += 1) await create(`number ${count}`);
    expect((await checkpoints.create(t.partner.id, 'more'))._unsafeUnwrapErr().code).toBe('too_many');
    const other = await t.gate.admin.createPartner({ name: 'Other', allowedOrigins: ['https://shop.example'] });
    const [one] = await checkpoints.list(t.partner.id);
    expect((await checkpoints.return(other.id, one?.id ?? ''))._unsafeUnwrapErr().code).toBe('not_found');
    const scope = { partnerId: other.id, mode: 'test' } as const;
    const body = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };
    for (let count = 0; count <= 500; count += 1) (await t.gate.sessions.create(scope, body))._unsafeUnwrap();
    expect((await checkpoints.create(other.id, 'large'))._unsafeUnwrapErr().code).toBe('too_large');
    expect(await checkpoints.list(other.id)).toEqual([]);
    expect((await checkpoints.list(t.partner.id)).length).toBe(10);
  });

  it('contain no card data, secret or KYC package in clear', async () => {
    const { t, scope, create } = await world();
    await (await checkoutFor(t, 'ada')).pay({ ...CARD, save: true });
    await t.createSession({ kyc_package: { provider: 'acme', name: 'Ada Example' } });
    const checkpoint = await create();
    const row = await t.store.find('document', scope, 'sandbox_checkpoint_rows', checkpoint.id);
    expect(row?.body).not.toMatch(/4242|1239|2039|Ada Example/);
  });

  it('are refused while a quote of a provider other than the sandbox is open', async () => {
    const { t, checkpoints } = await world();
    const [sandbox] = t.ports.providers;
    if (sandbox === undefined) throw new Error('The gate has no provider.');
    const other = t.restart({ providers: [{ ...sandbox, name: 'other' }] });
    await quoteFor(other, 'pay_in');
    const both = t.restart({ providers: [sandbox, { ...sandbox, name: 'other' }] });
    const create = () => both.gate.admin.checkpoints.create(t.partner.id, 'a');
    expect((await create())._unsafeUnwrapErr()).toMatchObject({
      code: 'not_available',
      message: expect.stringContaining('quote'),
    });
    await both.gate.advanceTestClock(6 * MINUTE, t.partner.id);
    expect((await create()).isOk()).toBe(true);
    expect(await checkpoints.list(t.partner.id)).toHaveLength(1);
  });

  it('have at most 500 quotes: with more, neither saving nor returning is possible', async () => {
    const { t, scope, checkpoints, create } = await world();
    const body = { side: 'on_ramp', currency: 'EUR', asset: 'USDC', amount: '100.00', country_code: 'DE' } as const;
    const quote = async () =>
      (await t.gate.quotes.create(scope, { ...body, payment_method: 'bank_transfer' }))._unsafeUnwrap();
    const { id } = await create('no quotes');
    for (let count = 0; count < 500; count += 1) await quote();
    await create('500 quotes');
    await quote();
    expect((await checkpoints.create(t.partner.id, '501 quotes'))._unsafeUnwrapErr().code).toBe('too_large');
    expect((await checkpoints.return(t.partner.id, id))._unsafeUnwrapErr().code).toBe('too_large');
    expect(await checkpoints.list(t.partner.id)).toHaveLength(2);
  });

  it('have the quotes of the last 30 days, as no quote is open for longer (QUOTE_OPEN_MAX)', async () => {
    const { t, scope, checkpoints } = await world();
    const quote = await t.store.find('document', scope, 'quote', await quoteFor(t, 'pay_in'));
    if (quote === null) throw new Error('The quote is not stored.');
    const expiresAt = quote.createdAt + 365 * DAY;
    const body = JSON.stringify({ ...JSON.parse(quote.body), provider: 'other', expiresAt }) as typeof quote.body;
    const row = { ...quote, version: quote.version + 1, keepUntil: null, body };
    const change = { ...emptyChange(scope, quote.createdAt), documents: [{ row, expectedVersion: quote.version }] };
    expect(await t.store.commit(change)).toEqual({ kind: 'committed' });
    const create = () => checkpoints.create(t.partner.id, 'a');
    await t.gate.advanceTestClock(quote.createdAt + 30 * DAY - t.gate.clock.now(scope), t.partner.id);
    expect((await create())._unsafeUnwrapErr().message).toContain('open quote');
    await t.gate.advanceTestClock(1, t.partner.id);
    expect((await create()).isOk()).toBe(true);
  });

  it('give a buyer a new customer at the sandbox provider only, also those that an earlier version restored', async () => {
    const { t, scope, checkpoints, create } = await world();
    const engine = assemble(t.ports, {});
    await engine.crypto.open(engine.store);
    const [sandboxed] = t.ports.providers;
    if (sandboxed === undefined) throw new Error('The gate has no provider.');
    const customerAt = (name: string) =>
      customerOf(engine, { ...scope, userReference: 'buyer-1' }, { ...sandboxed, name });
    const before = await customerAt('sandbox');
    expect(await customerAt('other')).toBe(before);
    const { id } = await create('one');
    (await checkpoints.return(t.partner.id, id))._unsafeUnwrap();
    const after = await customerAt('sandbox');
    expect(after).not.toBe(before);
    expect(await customerAt('other')).toBe(before);

    const row = await t.store.find('document', scope, 'sandbox_customers', 'customers');
    if (row === null) throw new Error('The return is not stored.');
    const { provider: _, ...former } = JSON.parse(row.body);
    const next = { ...row, version: row.version + 1, body: JSON.stringify(former) as typeof row.body };
    const documents = [{ row: next, expectedVersion: row.version }];
    expect(await t.store.commit({ ...emptyChange(scope, row.createdAt), documents })).toEqual({ kind: 'committed' });
    expect([await customerAt('sandbox'), await customerAt('other')]).toEqual([after, before]);
  });

  it('have any number of used quotes', async () => {
    const { t, scope, checkpoints, create } = await world();
    const { id } = await create('no quotes');
    const kept = await quoteFor(t, 'pay_in');
    const quote = await t.store.find('document', scope, 'quote', kept);
    if (quote === null) throw new Error('The quote is not stored.');
    const used = Array.from({ length: 510 }, (_, nth) => {
      const other = `${kept.slice(0, -4)}${nth.toString(16).padStart(4, '0')}`;
      const body = JSON.stringify({ ...JSON.parse(quote.body), id: other, usedBy: 'payment' }) as typeof quote.body;
      return { row: { ...quote, id: other, keepUntil: null, body }, expectedVersion: null };
    }).filter(({ row }) => row.id !== kept);
    await t.store.commit({ ...emptyChange(scope, quote.createdAt), documents: used });
    await create('one open quote');
    expect((await checkpoints.return(t.partner.id, id)).isOk()).toBe(true);
    expect(await quoteOf(t, kept)).toMatchObject({ status: 'expired' });
  });

  it('have at most four million characters', async () => {
    const { t, checkpoints, create } = await world();
    const large = { metadata: { note: 'a'.repeat(16_000) } };
    for (let count = 0; count < 200; count += 1) await t.createSession(large);
    await create('below');
    for (let count = 200; count <= 250; count += 1) await t.createSession(large);
    expect((await checkpoints.create(t.partner.id, 'above'))._unsafeUnwrapErr().code).toBe('too_large');
    expect(await checkpoints.list(t.partner.id)).toHaveLength(1);
  });

  it.each(['saveCustomer', 'restoreCustomer'] as const)(
    'need a sandbox provider with %s once it may have saved payment methods of a buyer',
    async (missing) => {
      const { t, checkpoints } = await world();
      const { [missing]: _, ...sandbox } = sandboxProvider({ ledger: t.ledger }).control;
      const without = t.restart({ sandbox });
      const create = (name: string) => without.gate.admin.checkpoints.create(t.partner.id, name);
      await t.createSession({ user_reference: null });
      expect((await create('without buyers')).isOk()).toBe(true);
      await t.createSession({ user_reference: 'ada' });
      expect((await create('with a buyer'))._unsafeUnwrapErr()).toMatchObject({
        code: 'not_available',
        message: expect.stringContaining('payment methods'),
      });
      expect(await checkpoints.list(t.partner.id)).toHaveLength(1);
    },
  );

  it('need a sandbox provider that saves its operations, and a printable name', async () => {
    const { t, checkpoints } = await world();
    for (const name of ['', ' a', 'a'.repeat(61), 'a\u202Eb'])
      await expect(checkpoints.create(t.partner.id, name)).rejects.toThrow('name must be');
    const without = createGate({ ...t.ports, providers: [], extensions: [sandbox()] });
    expect((await without.admin.checkpoints.create(t.partner.id, 'a'))._unsafeUnwrapErr().code).toBe('not_available');
  });
});
