import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { memoryStore } from '@gateramp/adapters-store-memory';
import { NO_DETAILS } from '@gateramp/core/domain';
import { emptyChange } from '@gateramp/core/ports';
import { nodeCrypto } from '@gateramp/core/runtime';
import { REFUSED, ACCEPTED } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { CARDS } from '../checkout.js';
import { bodyOf, create as payOverRails, quoteFor, retrieve as retrievePayment } from '../rails/rails.js';
import { CARD, idsOf } from '../saved-methods/buyers.js';
import { checkoutFor, eventsOf, MINUTE, quoteOf, world } from './sandbox.js';

describe('a return to a checkpoint', () => {
  it('restores a session that was paid for since, and its next event continues the numbers', async () => {
    const { t, create, goBack } = await world();
    const { id } = await t.createSession();
    await t.gate.runDue();
    const checkpoint = await create();
    expect(checkpoint).toMatchObject({ name: 'before', sessions: 1, payments: 0 });
    await t.settle(id);
    await t.gate.runDue();
    const paid = await eventsOf(t, id);
    expect((await t.retrieveSession(id)).status).toBe('completed');

    expect(await goBack(checkpoint.id)).toMatchObject({ restored: 1, expired: 0 });
    expect((await t.retrieveSession(id)).status).toBe('open');
    await t.settle(id);
    await t.gate.runDue();
    const again = await eventsOf(t, id);
    expect(again.slice(0, paid.length)).toEqual(paid);
    expect(again.map(({ sequence }) => sequence)).toEqual(again.map((_, at) => at + 1));
    const types = again.map(({ type }) => type);
    expect(types.slice(paid.length)).toEqual(types.slice(1, paid.length));
    expect((await t.retrieveSession(id)).status).toBe('completed');
  });

  it('restores money on its way, which arrives after the time that was left', async () => {
    const { t, scope, create, goBack, simulate } = await world();
    const { id } = await t.createSession();
    await simulate(id, 'kyc_required');
    await t.gate.runDue();
    const before = await t.retrieveSession(id);
    const checkpoint = await create();
    const at = t.gate.clock.now(scope);
    await t.gate.advanceTestClock(30 * MINUTE, t.partner.id);
    await t.gate.advanceTestClock(26 * 60 * MINUTE, t.partner.id);
    expect((await t.retrieveSession(id)).status).toBe('expired');
    const { now } = await goBack(checkpoint.id);
    const after = await t.retrieveSession(id);
    expect(after.status).toBe('open');
    expect(Date.parse(after.expires_at) - now).toBe(Date.parse(before.expires_at) - at);
    await t.settle(id);
    expect((await t.retrieveSession(id)).status).toBe('completed');
  });

  it('ends what was created since, and delivers what was announced', async () => {
    const { t, scope, create, goBack, simulate } = await world();
    const checkpoint = await create();
    const [open, live, paid] = [await t.createSession(), await t.createSession(), await t.createSession()];
    await simulate(live.id, 'kyc_required');
    await t.settle(paid.id);
    expect(await goBack(checkpoint.id)).toMatchObject({ restored: 0, expired: 2 });
    expect((await t.retrieveSession(open.id)).status).toBe('expired');
    expect((await t.retrieveSession(live.id)).status).toBe('expired');
    expect((await t.retrieveSession(paid.id)).status).toBe('completed');
    const { data } = (await t.gate.transactions.list(scope, { session_id: live.id }))._unsafeUnwrap();
    expect(data.map(({ status }) => status)).toEqual(['failed']);
    await t.gate.runDue();
    const sent = t.deliveries().filter(({ type }) => type === 'gate_session.expired');
    expect(sent).toHaveLength(2);
  });

  it('sends a delivery again that was waiting for its next attempt', async () => {
    const { t, create, goBack } = await world();
    t.receiver.answerWith(() => REFUSED);
    await t.createSession();
    await t.gate.runDue();
    const checkpoint = await create();
    t.receiver.answerWith(() => ACCEPTED);
    await t.gate.advanceTestClock(10 * MINUTE, t.partner.id);
    const sent = t.deliveries().length;
    await goBack(checkpoint.id);
    await t.gate.runDue();
    expect(t.deliveries().length).toBe(sent);
    await t.gate.advanceTestClock(MINUTE, t.partner.id);
    expect(t.deliveries().length).toBe(sent + 1);
    expect(new Set(t.deliveries().map(({ body }) => JSON.parse(body).id)).size).toBe(1);
  });
});

describe('a return to a checkpoint, of what sessions do not contain,', () => {
  it('restores quotes: one that was used since is open again, and one created since has expired', async () => {
    const { t, scope, create, goBack } = await world();
    const [kept, ending] = [await quoteFor(t, 'pay_in'), await quoteFor(t, 'pay_out')];
    await t.gate.advanceTestClock(4 * MINUTE, t.partner.id);
    const before = await quoteOf(t, kept);
    const left = Date.parse(String(before['expires_at'])) - t.gate.clock.now(scope);
    const checkpoint = await create();
    const payment = await payOverRails(t, 'pay_in', bodyOf('pay_in', kept));
    expect(await quoteOf(t, kept)).toMatchObject({ status: 'used' });
    // Until an unused quote is no longer shown, and may be deleted.
    await t.gate.advanceTestClock(25 * 60 * MINUTE, t.partner.id);
    expect(await quoteOf(t, ending)).toMatchObject({ code: 'quote_not_found' });
    const since = await quoteFor(t, 'pay_in');

    const { now } = await goBack(checkpoint.id);
    const after = await quoteOf(t, kept);
    expect(after).toEqual({ ...before, expires_at: new Date(now + left).toISOString() });
    expect(await quoteOf(t, ending)).toMatchObject({ status: 'open' });
    expect(await quoteOf(t, since)).toMatchObject({ status: 'expired' });
    const again = await payOverRails(t, 'pay_in', bodyOf('pay_in', kept));
    expect([again.status, again.json['status']]).toEqual([201, 'requires_action']);
    expect((await retrievePayment(t, 'pay_in', payment.json['id'])).json['status']).toBe('failed');
  });

  it('restores saved cards: those of the checkpoint with their ids, and none that was saved since', async () => {
    const { t, create, goBack } = await world();
    const open = (reference: string) => checkoutFor(t, reference);
    const cardsOf = async (reference: string) => idsOf(await (await open(reference)).saved());
    await (await open('ada')).pay({ ...CARD, save: true });
    const asking = await open('ada');
    const intent = await asking.pay({ ...CARD, card_number: CARDS.asksForACode, save: true });
    const [id] = await cardsOf('ada');
    const checkpoint = await create();
    await (await open('ada')).remove(id ?? '');
    await (await open('ada')).pay({ ...CARD, expiry: '01/41', save: true });
    await (await open('ben')).pay({ ...CARD, save: true });

    for (let times = 0; times < 2; times += 1) {
      await goBack(checkpoint.id);
      expect([await cardsOf('ada'), await cardsOf('ben')]).toEqual([[id], []]);
      // The buyer who was asked for a code gives it now.
      const code = { action: 'payment_authentication', code: '000000' };
      const confirmed = await asking.send('POST', `/v1/embed/intents/${String(intent.json['id'])}/confirm`, code);
      expect(confirmed.status, confirmed.text).toBe(200);
      const listed = await (await open('ada')).saved();
      expect(listed.json['data']).toMatchObject([{ last4: '3220' }, { last4: '4242', id }]);
      const paid = await (await open('ada')).pay({ saved_method: id });
      expect(paid.status, paid.text).toBe(201);
    }
  });

  it('restores that a buyer was verified, and never a KYC package that was deleted', async () => {
    const { t, scope, create, goBack } = await world();
    const { id } = await t.createSession({ kyc_package: { provider: 'acme', name: 'Ada Example' } });
    const accepted = (await t.store.find('session', scope, id))?.kyc;
    const checkpoint = await create();
    await t.request('POST', `/v1/gate_sessions/${id}/cancel`, { key: t.keys.secret.test });
    expect(t.vault.find(id)).toBeNull();
    await goBack(checkpoint.id);
    expect(accepted).not.toBeNull();
    expect((await t.store.find('session', scope, id))?.kyc).toEqual(accepted);
    expect(t.vault.find(id)).toBeNull();
  });

  it('is refused when the master key of the checkpoint is gone, and works while it is an old one', async () => {
    const [first, next] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
    const { t, checkpoints, create } = await world({ ports: { crypto: nodeCrypto({ masterKey: first }) } });
    await (await checkoutFor(t, 'ada')).pay({ ...CARD, save: true });
    const checkpoint = await create();
    const rotated = t.restart({ crypto: nodeCrypto({ masterKey: next, oldMasterKeys: [first] }) });
    (await rotated.gate.admin.checkpoints.return(t.partner.id, checkpoint.id))._unsafeUnwrap();
    const other = t.restart({ crypto: nodeCrypto({ masterKey: next }) });
    const refused = await other.gate.admin.checkpoints.return(t.partner.id, checkpoint.id);
    expect(refused._unsafeUnwrapErr()).toMatchObject({
      code: 'not_available',
      message: expect.stringContaining('master key'),
    });
    expect((await checkpoints.delete(t.partner.id, checkpoint.id)).isOk()).toBe(true);
  });

  it('says that it is damaged if its rows were altered, not that a master key is missing', async () => {
    const { t, scope, checkpoints, create } = await world();
    await t.createSession();
    const { id } = await create();
    const row = await t.store.find('document', scope, 'sandbox_checkpoint_rows', id);
    if (row === null) throw new Error('The checkpoint has no rows.');
    const body = row.body.replace(/("sealedProvider":"mk2\.[0-9a-f]{16}\.)(.)/, (_, start: string, one: string) =>
      [start, one === 'A' ? 'B' : 'A'].join(''),
    );
    expect(body).not.toBe(row.body);
    const next = { ...row, body: body as typeof row.body, version: row.version + 1 };
    const change = emptyChange(scope, t.gate.clock.now(scope));
    await t.store.commit({ ...change, documents: [{ row: next, expectedVersion: row.version }] });
    expect((await checkpoints.return(t.partner.id, id))._unsafeUnwrapErr()).toMatchObject({
      code: 'not_available',
      message: expect.stringMatching(/altered or damaged/),
    });
  });

  it('is refused by a sandbox provider that cannot restore its saved payment methods', async () => {
    const { t, create } = await world();
    await (await checkoutFor(t, 'ada')).pay({ ...CARD, save: true });
    const { id } = await create();
    const { restoreCustomer: _, ...sandbox } = sandboxProvider({ ledger: t.ledger }).control;
    const without = t.restart({ sandbox });
    const returned = await without.gate.admin.checkpoints.return(t.partner.id, id);
    expect(returned._unsafeUnwrapErr()).toMatchObject({
      code: 'not_available',
      message: expect.stringContaining('payment methods'),
    });
  });
});

describe('a return', () => {
  it('is refused while another process runs work, whose late result is then lost', async () => {
    const { t, scope, checkpoints, create, simulate } = await world();
    const { id } = await t.createSession();
    await simulate(id, 'kyc_required');
    const checkpoint = await create();
    const ahead = new Map([[t.partner.id, 0]]);
    const [due] = (await t.store.sandboxesDue?.({ ahead, kinds: ['tasks'], limit: 1 })) ?? [];
    const now = t.gate.clock.now(scope);
    const lease = { now, leaseMs: 30_000, token: 'late', early: true };
    const task = await t.store.claimOne('task', scope, due?.id ?? '', lease);
    if (task === null) throw new Error('nothing to claim');
    expect((await checkpoints.return(t.partner.id, checkpoint.id))._unsafeUnwrapErr().code).toBe('try_again');
    expect((await checkpoints.create(t.partner.id, 'another'))._unsafeUnwrapErr().code).toBe('try_again');
    // The wall clock: nothing runs meanwhile.
    await t.clock.advanceTo(now + 31_000);
    (await checkpoints.return(t.partner.id, checkpoint.id))._unsafeUnwrap();
    const row = { ...task, status: 'done', leaseToken: null, leaseUntil: null } as const;
    const late = { ...emptyChange(scope, now), finishes: [{ row, leaseToken: 'late' }] };
    expect(await t.store.commit(late)).toEqual({ kind: 'stale' });
  });

  it('ignores what a provider reports about an operation from before it', async () => {
    const { t, scope, create, goBack, simulate } = await world();
    const { id } = await t.createSession();
    await simulate(id, 'processing');
    const { intentId } = (await t.store.find('session', scope, id)) ?? {};
    const operationId = (await t.store.find('intent', scope, intentId ?? ''))?.operationId ?? '';
    await goBack((await create()).id);
    const report = { operationId, eventId: 'late', outcome: { kind: 'succeeded' }, details: NO_DETAILS } as const;
    expect((await t.gate.intents.report('test', 'sandbox', report)).isErr()).toBe(true);
    expect((await t.retrieveSession(id)).status).toBe('open');
  });

  it.each([0, 1, 2, 3])('leaves the sandbox before or after it if the process ends at commit %i', async (crashAt) => {
    const store = memoryStore();
    let left = Number.POSITIVE_INFINITY;
    let isAfter = false;
    const commit: typeof store.commit = async (change) => {
      if (left === 0 && !isAfter) throw new Error('crash');
      const done = await store.commit(change);
      if (left === 0) throw new Error('crash');
      left -= 1;
      return done;
    };
    const w = await world({ ports: { store: { ...store, commit } } });
    const { t, checkpoints } = w;
    const { id } = await t.createSession();
    await w.simulate(id, 'kyc_required');
    const checkpoint = await w.create();
    await t.request('POST', `/v1/gate_sessions/${id}/cancel`, {
      key: t.keys.secret.test,
      headers: { 'idempotency-key': 'c' },
    });
    isAfter = crashAt % 2 === 1;
    left = Math.floor(crashAt / 2);
    const done = await checkpoints.return(t.partner.id, checkpoint.id).then(
      (returned) => returned.isOk(),
      () => false,
    );
    left = Number.POSITIVE_INFINITY;
    const other = t.restart();
    const { status } = await other.retrieveSession(id);
    expect(['open', 'cancelled']).toContain(status);
    if (done) expect(status).toBe('open');
    // Whatever happened, the next return succeeds once the lease of the dead process has ended.
    await t.clock.advanceTo(t.clock.now('test') + 61_000);
    (await other.gate.admin.checkpoints.return(t.partner.id, checkpoint.id))._unsafeUnwrap();
    expect((await other.retrieveSession(id)).status).toBe('open');
    await other.gate.advanceTestClock(25 * 60 * MINUTE, t.partner.id);
    const { data } = (await other.gate.transactions.list(w.scope, {}))._unsafeUnwrap();
    expect(data.map((one) => one.failure?.code)).toEqual(['kyc_abandoned']);
  });
});
