import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScratchDatabase } from '../../../tests/services/scratch-database.js';
import { migratedDatabase, runGate } from './run-gate.js';
import { DEMO_KEYS } from '../src/demo/demo-partner.js';
import { call, eventually, postAsDemo, readyServer, type ReadyServer } from './running-server.js';

describe('gate show', () => {
  let database: ScratchDatabase;
  let settings: Readonly<Record<string, string>>;
  let server: ReadyServer;
  const post = (path: string, body: object, key: string) => postAsDemo(server, path, body, key);
  const show = async (id = '') => JSON.parse((await runGate(`show ${id} --json`, settings)).out) as Shown;

  interface Shown {
    readonly kind: string;
    readonly partner: { readonly id: string };
    readonly session: { readonly id: string; readonly status: string };
    readonly intents: readonly { readonly id: string; readonly provider: string; readonly operation_id: string }[];
    readonly transactions: readonly { readonly refid: string; readonly status: string; readonly tx_hash: string }[];
    readonly events: readonly { readonly id: string; readonly type: string }[];
    readonly deliveries: readonly { readonly id: string; readonly event_id: string; readonly status: string }[];
  }

  beforeAll(async () => {
    ({ database, settings } = await migratedDatabase());
    server = await readyServer(settings);
  });
  afterAll(async () => {
    server?.process.kill('SIGKILL');
    await database.drop();
  });

  it('finds a purchase by the id of anything in it, shows all of it, and no secret', async () => {
    const created = await post(
      '/v1/gate_sessions',
      { amount: '25.00', currency: 'EUR', return_url: `${server.origins.demo}/`, user_reference: 'order 7' },
      'create',
    );
    await post(`/v1/test_helpers/gate_sessions/${created.id}/simulate`, { scenario: 'succeed' }, 'simulate');
    const bySession = await eventually(async () => {
      const found = await show(created.id);
      return found.session.status === 'completed' && found.deliveries.length > 0 ? found : null;
    });
    expect(bySession).toMatchObject({
      kind: 'session',
      mode: 'test',
      session: { id: created.id, amount: '25.00', user_reference: 'order 7', held_since: null },
      intents: [{ status: 'succeeded', provider: 'sandbox' }],
      transactions: [{ status: 'completed' }],
    });
    expect(bySession.events.map(({ type }) => type)).toEqual([
      'gate_session.created',
      'gate_session.processing',
      'gate_session.completed',
    ]);
    const ids = [
      ['intent', bySession.intents[0]?.id],
      ['transaction', bySession.transactions[0]?.refid],
      ['event', bySession.events[0]?.id],
      ['delivery', bySession.deliveries[0]?.id],
      ['operation', bySession.intents[0]?.operation_id],
    ] as const;
    for (const [kind, id] of ids) {
      const found = await show(id);
      expect([found.kind, found.session.id, found.events.length]).toEqual([kind, created.id, 3]);
    }
    const hash = bySession.transactions[0]?.tx_hash ?? '';
    expect(await show(hash)).toMatchObject({ kind: 'transaction', id: hash, session: { id: created.id } });
    const { out } = await runGate(`show ${created.id}`, settings);
    expect(out).toMatch(new RegExp(`^session ${created.id} of .+, test mode\n\nSession\nID +STATUS`));
    for (const text of [out, JSON.stringify(bySession)]) expect(text).not.toContain(created.client_secret);
    expect(out).not.toMatch(/secret/i);
  });

  it('names the other objects with the same hash on chain', async () => {
    const terms = { amount: '25.00', currency: 'EUR', return_url: `${server.origins.demo}/` };
    const refids: string[] = [];
    for (const nth of ['first', 'second']) {
      const { id } = await post('/v1/gate_sessions', terms, `create-${nth}`);
      await post(`/v1/test_helpers/gate_sessions/${id}/simulate`, { scenario: 'succeed' }, `simulate-${nth}`);
      const paid = await eventually(async () => {
        const [transaction] = (await show(id)).transactions;
        return transaction?.status === 'completed' ? transaction : null;
      });
      refids.push(paid.refid);
    }
    const hash = `0x${'ab'.repeat(32)}`;
    await database.query(
      `update gateramp.transactions set row = jsonb_set(row::jsonb, '{txHash}', '"${hash}"')::json
       where id in (${refids.map((refid) => `'${refid}'`).join()})`,
    );
    const { out, err } = await runGate(`show ${hash}`, settings);
    expect(out).toContain(`transaction ${hash} of `);
    const other = /^Other objects have this hash too\. Run: gate show (\S+)$/m.exec(err)?.[1];
    expect(refids).toContain(other);
  });

  it('shows an event without a session, with its deliveries, by the id of either', async () => {
    const sent = await post('/v1/webhooks/test', {}, 'webhook-test');
    for (const [kind, id] of [
      ['event', sent.event_id],
      ['delivery', sent.delivery_id],
    ] as const)
      expect(await show(id)).toMatchObject({
        kind,
        session: null,
        events: [{ id: sent.event_id, type: 'webhook.test' }],
        deliveries: [{ id: sent.delivery_id, event_id: sent.event_id }],
      });
  });

  it('shows a refused request by its id, without what it sent', async () => {
    const headers = { authorization: `Bearer ${DEMO_KEYS.secret}`, 'idempotency-key': 'refused' };
    const refused = await call(`${server.origins.sandbox}/v1/gate_sessions`, headers, { amount: 'ten pounds' });
    expect(refused.status).toBe(400);
    const { out } = await eventually(async () => {
      const shown = await runGate(`show ${String(refused.json['request_id'])}`, settings);
      return shown.code === 0 ? shown : null;
    });
    for (const line of [
      /^status +400$/m,
      /^code +validation_failed$/m,
      /^route +\/v1\/gate_sessions$/m,
      /^fields +.*amount/m,
      /^messages +.*amount must .*currency is required/m,
    ])
      expect(out).toMatch(line);
    expect(out).not.toContain('ten pounds');
  });

  it('changes nothing: an overdue session stays as it is stored', async () => {
    const { id } = await post(
      '/v1/gate_sessions',
      { amount: '25.00', currency: 'EUR', return_url: `${server.origins.demo}/` },
      'overdue',
    );
    server.process.kill('SIGKILL');
    await database.query(
      `update gateramp.sessions set expires_at = 1, row = jsonb_set(row::jsonb, '{expiresAt}', '1')::json where id = '${id}'`,
    );
    const found = await show(id);
    expect([found.session.status, found.events.length]).toEqual(['open', 1]);
  });

  it('says so when nothing has the id', async () => {
    expect(await runGate('show 000000000000000000000000', settings)).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(
        /^There is no session, intent, transaction, event, delivery, operation or pool trade 0+\./,
      ),
    });
  });
});
