import { deadLettered, expectRefusal, httpLaw, type HttpSubject, type HttpWorld, type Law, SECRET } from '../kit.js';

const TOPIC = 'HTTP: refusals of the webhook tooling';

async function takeUrl({ t }: HttpWorld): Promise<void> {
  await t.gate.admin.setEndpoint({ partnerId: t.partner.id, mode: 'test' }, { url: null, secret: null });
}

export const webhookRefusals: readonly Law<HttpSubject>[] = [
  httpLaw(TOPIC, 'POST /v1/webhooks/test answers 400 webhook_url_not_configured while no URL is set', async (world) => {
    await takeUrl(world);
    expectRefusal(await world.send('POST', '/v1/webhooks/test', { key: SECRET }), 400, 'webhook_url_not_configured');
  }),
  httpLaw(TOPIC, 'a replay answers 400 webhook_url_not_configured while no URL is set', async (world) => {
    const id = await deadLettered(world);
    await takeUrl(world);
    const path = `/v1/webhooks/deliveries/${id}/replay`;
    expectRefusal(await world.send('POST', path, { key: SECRET }), 400, 'webhook_url_not_configured');
  }),
];
