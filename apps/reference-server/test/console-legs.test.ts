import { consoleHandler, type ConsoleLegs } from '@gateramp/console';
import { describe, expect, it } from 'vitest';
import { stuckLegs } from './stuck-legs.js';

const ORIGIN = 'https://console.example';

async function stuckConsole(changed: (legs: ConsoleLegs) => Partial<ConsoleLegs> = () => ({})) {
  const {
    test: { gate },
    legs,
  } = await stuckLegs();
  const handle = consoleHandler({
    gate,
    origin: ORIGIN,
    legs: { ...legs, ...changed(legs) },
    authorize: (request) => {
      const [actor = '', partners = 'all'] = request.headers.get('x-actor')?.split('/') ?? [];
      return { actor, roles: ['operator'], partners: partners === 'all' ? 'all' : [partners] };
    },
  });
  const ask = async (actor: string, path: string, body?: object) => {
    const headers = { 'x-actor': actor, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
    const sent = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await handle(new Request(`${ORIGIN}/console/v1${path}`, sent));
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const entries = async () =>
    (await gate.admin.audit.list()).filter(({ action }) => /^(wallet|operation)\./.test(action));
  return { ask, entries, gate };
}

describe('the console with provider legs', () => {
  it('shows stuck operations of a mode with their steps, debt and ledger, to operators who see the partner', async () => {
    const { ask } = await stuckConsole();
    const listed = await ask('olga', '/operations?mode=test&stuck=true');
    expect(listed.body['data']).toMatchObject([{ id: 'op-test', status: 'stuck', step: 'return', reason: 'limit' }]);
    const { body } = await ask('olga', '/operations/op-live');
    expect(body).toMatchObject({ mode: 'live', owed: [{ amount: '110.112239', currency: 'USDC@base' }] });
    expect(body['steps']).toContain('pay_out');
    expect((body['entries'] as readonly unknown[]).length).toBeGreaterThan(0);
    expect((await ask('olga/other', '/operations?mode=test')).body['data']).toEqual([]);
    expect((await ask('olga/other', '/operations/op-live')).status).toBe(404);
    expect((await ask('olga/other', '/operations/op-test/resolve', { as: 'failed', reason: 'x' })).status).toBe(404);
  });

  it.each([
    [100, { count: 100, more: false }],
    [101, { count: 100, more: true }],
  ])('sums 100 stuck operations of a mode, and `more` says that there are others: of %d, %j', async (count, sum) => {
    const { ask } = await stuckConsole((legs) => ({
      listOperations: async (query) => {
        const found = query.mode === 'test' ? await legs.listOperations(query) : [];
        return Array.from({ length: count }, () => found)
          .flat()
          .slice(0, query.limit);
      },
    }));
    expect((await ask('olga', '/held_money')).body['operations']).toMatchObject(sum);
  });

  it('resolves an operation of test mode immediately, and previews its postings', async () => {
    const { ask, entries } = await stuckConsole();
    const planned = await ask('olga', '/operations/op-test/resolve', { as: 'refunded', dry_run: true });
    expect([planned.status, planned.body]).toMatchObject([200, { dry_run: true }]);
    expect(planned.body['postings']).toContainEqual({
      account: 'chain:base',
      amount: '-110.112239',
      currency: 'USDC@base',
    });
    expect(await entries()).toEqual([]);
    const done = await ask('olga', '/operations/op-test/resolve', { as: 'refunded', reason: 'ticket 42' });
    expect(done.status).toBe(200);
    expect(await entries()).toMatchObject([
      { action: 'operation.resolve', reason: 'ticket 42', actor: { id: 'olga' } },
    ]);
  });

  it('already_done: an operation that is not stuck', async () => {
    const { ask } = await stuckConsole();
    await ask('olga', '/operations/op-test/resolve', { as: 'refunded', reason: 'ticket 42' });
    const again = await ask('olga', '/operations/op-test/resolve', { as: 'failed', reason: 'x' });
    expect([again.status, again.body]).toMatchObject([409, { code: 'already_done' }]);
  });

  it('second_person_required: resolves an operation of live mode after a second operator approves it', async () => {
    const { ask, entries } = await stuckConsole();
    const asked = await ask('olga', '/operations/op-live/resolve', { as: 'refunded', reason: 'ticket 42' });
    expect([asked.status, asked.body]).toMatchObject([
      202,
      { state: 'pending', change: { params: { id: 'op-live' } } },
    ]);
    expect((await ask('olga', '/operations/op-live')).body).toMatchObject({ status: 'stuck' });
    const approve = (actor: string) =>
      ask(actor, `/approvals/${String(asked.body['id'])}/approve`, { digest: asked.body['digest'] });
    expect((await approve('olga')).body).toMatchObject({ code: 'second_person_required' });
    expect((await approve('paul')).body).toMatchObject({ state: 'done' });
    const reason = `ticket 42 (approved by paul, approval ${String(asked.body['id'])})`;
    expect((await ask('olga', '/operations/op-live')).body).toMatchObject({
      status: 'refunded',
      owed: [],
      resolution: { as: 'refunded', reason },
    });
    expect(await entries()).toMatchObject([{ action: 'operation.resolve', reason, actor: { id: 'olga' } }]);
    const again = await ask('olga', '/operations/op-live/resolve', { as: 'failed', reason: 'x' });
    expect([again.status, again.body]).toMatchObject([409, { code: 'already_done' }]);
  });

  it('service_unavailable: a wallet can be paused but not resumed while its network does not answer', async () => {
    const { ask, entries, gate } = await stuckConsole();
    expect((await ask('olga', '/wallets')).body['data']).toMatchObject([
      { network: 'base', status: 'active', max_per_send: { USDC: '500' }, balances: {}, answering: false },
    ]);
    expect((await ask('olga', '/wallets/base/pause', {})).body).toMatchObject({ code: 'reason_required' });
    expect((await ask('olga', '/wallets/moon/pause', { reason: 'drill' })).status).toBe(404);
    const paused = await ask('olga', '/wallets/base/pause', { reason: 'drill' });
    expect([paused.status, paused.body]).toMatchObject([200, { status: 'paused', paused_because: 'drill' }]);
    expect(await ask('olga', '/wallets/base/resume', { reason: 'over' })).toMatchObject({
      status: 503,
      body: { code: 'service_unavailable' },
    });
    expect(await entries()).toMatchObject([{ action: 'wallet.pause', reason: 'drill', actor: { id: 'olga' } }]);
    expect(await gate.admin.audit.verify()).toMatchObject({ isIntact: true });
  });
});
