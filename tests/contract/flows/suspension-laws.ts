import assert from 'node:assert/strict';
import { SANDBOX_CARDS } from '@gateramp/adapters-provider-sandbox';
import {
  attempt,
  bootstrap,
  buyer,
  card,
  expectRefusal,
  expectStatus,
  httpLaw,
  type HttpSubject,
  type Law,
  open,
  retrieve,
  textOf,
} from '../kit.js';
import { begin, delivered, SETTLED, statusOf } from './scene.js';

const TOPIC = 'HTTP: a suspended partner';

export const suspensionLaws: readonly Law<HttpSubject>[] = [
  httpLaw(TOPIC, 'a payment under way is confirmed, settles and is announced', async (world) => {
    const { admin } = world.t.gate;
    const { id } = world.t.partner;
    const session = await open(world);
    const secret = textOf(session, 'client_secret');
    const token = textOf(expectStatus(await bootstrap(world, secret), 200).json, 'embed_token');
    const intent = await begin(world, token, card(SANDBOX_CARDS.needsAuthentication));
    await admin.suspendPartner(id);
    assert.equal(expectStatus(await bootstrap(world, secret), 200).json['available'], true);
    const confirm = { action: 'payment_authentication', code: '000000' };
    const path = `/v1/embed/intents/${textOf(intent, 'id')}/confirm`;
    expectStatus(await world.send('POST', path, { token, body: confirm }), 200);
    await world.t.clock.advance(SETTLED);
    assert.deepEqual(delivered(world), ['created', 'processing', 'completed']);
    expectRefusal(await retrieve(world, textOf(session, 'id')), 403, 'partner_suspended');
    await admin.reinstatePartner(id);
    assert.equal(await statusOf(world, textOf(session, 'id')), 'completed');
  }),
  httpLaw(TOPIC, 'has everything back once it is reinstated, and keeps its suspension until then', async (world) => {
    const { admin } = world.t.gate;
    const { id } = world.t.partner;
    const { token, sessionId } = await buyer(world);
    await admin.suspendPartner(id);
    // A server saves the partners of its seed file at every start.
    await admin.savePartner({ ...world.t.partner, suspendedAt: null });
    expectRefusal(await retrieve(world, sessionId), 403, 'partner_suspended');
    expectRefusal(await attempt(world, token), 403, 'partner_suspended');
    await admin.reinstatePartner(id);
    assert.equal(await statusOf(world, sessionId), 'open');
    expectStatus(await attempt(world, token), 201);
    await world.t.clock.advance(SETTLED);
    assert.deepEqual(delivered(world), ['created', 'processing', 'completed']);
  }),
  httpLaw(TOPIC, 'begins no payment in process, and can still be read and cleaned up for', async ({ t }) => {
    const caller = { partnerId: t.partner.id, mode: 'test' } as const;
    const { id } = await t.createSession();
    await t.gate.admin.suspendPartner(t.partner.id);
    const body = { amount: '100.00', currency: 'EUR', return_url: `${t.partner.allowedOrigins[0]}/done` };
    const created = await t.gate.sessions.create(caller, body);
    assert.equal(created.isErr() && created.error.code, 'partner_suspended');
    assert.equal((await t.gate.sessions.retrieve(caller, id)).isOk(), true);
    assert.equal((await t.gate.sessions.cancel(caller, id)).isOk(), true);
  }),
];
