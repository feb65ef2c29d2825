import type { Mode } from '@gateramp/core';
import type { Gate } from '../src/server/gate.js';
import { createTestGate, TEST_PARTNER, type TestGate } from '@gateramp/testing';
import { ask, type TestConsole, testConsole } from './console.js';

/** A second partner with data of every noun, each piece of which has this mark. */
export const MARK = 'BOLT-8f3e';

/** A partner's data, and every id and cursor of it. */
export interface Owned {
  readonly partnerId: string;
  readonly ids: readonly string[];
  readonly texts: readonly string[];
  /** Of its transactions, on chain. */
  readonly hashes: readonly string[];
}

export interface World {
  readonly test: TestGate;
  readonly console: TestConsole;
  readonly acme: Owned;
  readonly bolt: Owned;
}

/** Texts that no answer may contain: keys, signing secrets, client secrets. */
export const secretsOf = ({ acme, bolt }: World): readonly string[] => [...acme.texts, ...bolt.texts];

/** Two partners in both modes, with sessions, payments, events, deliveries dead and alive, keys, branding and a team. */
export async function twoPartners(): Promise<World> {
  // A webhook is dead-lettered at its first failure, also in live mode, whose time a test cannot move.
  const test = await createTestGate({ policy: { retryGaps: [] } });
  test.receiver.answerWith(({ url }) => ({
    responseStatus: url.includes('/dead') ? 500 : 200,
    responseBody: 'no',
    error: null,
  }));
  const console = testConsole(test.gate, {
    authorize: (request) => {
      const role = request.headers.get('x-role');
      return role === null ? null : { actor: 'olga', roles: [role as 'viewer'], partners: 'all' };
    },
  });
  const { gate } = test;
  const other = await gate.admin.createPartner({
    name: `${MARK} Ltd`,
    allowedOrigins: ['https://shop.example', `https://${MARK.toLowerCase()}.example`],
    liveEnabled: true,
  });
  const acme = await filled(test, TEST_PARTNER.id, 'ACME');
  const bolt = await filled(test, other.id, MARK);
  await gate.runDue();
  await test.clock.advance('2d');
  return { test, console, acme: await withIds(gate, acme), bolt: await withIds(gate, bolt) };
}

type Texts = Pick<Owned, 'partnerId' | 'texts'>;

async function filled({ gate, request }: TestGate, partnerId: string, mark: string): Promise<Texts> {
  const texts: string[] = [];
  for (const mode of ['test', 'live'] as const) {
    const scope = { partnerId, mode };
    const secret = `whsec_${mark}${mode}0000000000000000`;
    const { text: key } = await gate.admin.issueKey(partnerId, { mode, type: 'secret' });
    texts.push(secret, key);
    await gate.admin.setEndpoint(scope, { url: `https://${mark.toLowerCase()}.example/dead/${mode}`, secret });
    await gate
      .as({ type: 'partner_user', id: `${mark} user` })
      .branding.update(scope, { display_name: `${mark} ${mode}` });
    for (let count = 0; count < 3; count += 1) {
      const made = await gate.sessions.create(scope, {
        amount: '100.00',
        currency: 'EUR',
        return_url: `https://shop.example/${mark}`,
        user_reference: `${mark}-${mode}-${count}`,
        metadata: { mark },
      });
      if (made.isErr()) throw new Error(made.error.message);
      texts.push(made.value.client_secret);
      if (mode === 'live' || count > 0) continue;
      const path = `/v1/test_helpers/gate_sessions/${made.value.id}/simulate`;
      const paid = await request('POST', path, { key, body: { scenario: 'succeed' } });
      if (paid.status !== 200) throw new Error(paid.text);
    }
    await gate.webhooks.test(scope);
    const { code } = await gate.console.invite(partnerId, { mode, actor: `${mark} user` });
    texts.push(code);
    await gate.console.as({ type: 'partner_user', id: `${mark} user` }).approvals.request({
      ...{ operation: 'createKey', partnerId, mode, change: { params: {}, body: { type: 'secret' } } },
      ...{ reason: mark, role: 'admin', isCollected: true },
    });
  }
  return { partnerId, texts };
}

async function withIds(gate: Gate, { partnerId, texts }: Texts): Promise<Owned> {
  const ids = [partnerId];
  const hashes: string[] = [];
  for (const mode of ['test', 'live'] as const) {
    const scope = { partnerId, mode };
    const lists = await Promise.all([
      gate.sessions.list(scope, { limit: 100 }),
      gate.transactions.list(scope, { limit: 100 }),
      gate.events.list(scope, { limit: 100 }),
      gate.webhooks.deliveries.list(scope, { limit: 100 }),
    ]);
    for (const list of lists) if (list.isOk()) ids.push(...list.value.data.map(({ id }) => id));
    const [, transactions] = lists;
    for (const one of transactions.isOk() ? transactions.value.data : []) {
      ids.push(one.intent_id);
      if (one.tx_hash !== null) hashes.push(one.tx_hash);
    }
    ids.push(...(await gate.console.list(partnerId, mode)).map(({ id }) => id));
    ids.push(...(await gate.console.approvals.list(scope)).map(({ id }) => id));
  }
  ids.push(...(await gate.admin.listKeys(partnerId)).map(({ key }) => key.hash.slice(0, 16)));
  return { partnerId, texts, ids, hashes };
}

/** An operator’s request: the host’s own door knows who it is by a header. */
export function asOperator(
  world: World,
  path: string,
  {
    role,
    method = 'GET',
    body,
    partnerId = TEST_PARTNER.id,
    mode = 'test',
  }: {
    readonly role: string;
    readonly method?: string;
    readonly body?: unknown;
    readonly partnerId?: string;
    readonly mode?: Mode;
  },
): Promise<Response> {
  const at = `${path}${path.includes('?') ? '&' : '?'}partner=${partnerId}&mode=${mode}`;
  return ask(world.console, at, { method, body, headers: { 'x-role': role } });
}
