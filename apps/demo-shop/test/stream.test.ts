import { expect, it } from 'vitest';
import { deliver, runShop } from './running-shop.js';

const EVENT = {
  id: 'e1',
  type: 'gate_session.completed',
  sequence: 3,
  data: { object: 'gate_session', id: 's1', amount: '100.00', currency: 'EUR', flow: 'on_ramp', tx_refid: 'gtx_1' },
};

it('an open page receives each webhook on arrival, and a later page receives the stored ones', async () => {
  const shop = await runShop();
  const early = await openStream(shop.origin);
  await deliver(shop.origin, EVENT);
  const late = await openStream(shop.origin);

  const update = { id: 'e1', session_id: 's1', verified: true, tx_refid: 'gtx_1', amount: '100.00', flow: 'on_ramp' };
  expect(await early.next()).toMatchObject(update);
  expect(await late.next()).toMatchObject(update);
});

it('an event with a wrong signature is answered 400 and shown as rejected', async () => {
  const shop = await runShop();
  const page = await openStream(shop.origin);
  const answer = await deliver(shop.origin, EVENT, 'whsec_of_another_endpoint');

  expect([answer.status, await answer.json()]).toEqual([400, { received: false, problem: 'no_matching_signature' }]);
  expect(await page.next()).toMatchObject({ session_id: 's1', verified: false, problem: 'no_matching_signature' });
});

it('a repeated webhook is shown once, with its count', async () => {
  const shop = await runShop();
  await deliver(shop.origin, EVENT);
  await deliver(shop.origin, EVENT);
  expect(await (await fetch(`${shop.origin}/hooks`)).json()).toMatchObject({ data: [{ id: 'e1', times: 2 }] });
});

it('close ends the streams, so that they do not delay the shutdown', async () => {
  const shop = await runShop();
  const page = await openStream(shop.origin);
  shop.close();
  expect(await page.next()).toBeNull();
});

interface Stream {
  /** The next webhook; null once the stream has ended. */
  next(): Promise<unknown>;
}

async function openStream(origin: string): Promise<Stream> {
  const { body } = await fetch(`${origin}/stream`);
  if (body === null) throw new Error('There is no stream.');
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    next: async () => {
      for (;;) {
        const [, before = '', data, after = ''] =
          /^([\s\S]*?)event: webhook\ndata: (.*)\n\n([\s\S]*)$/.exec(text) ?? [];
        if (data !== undefined) {
          text = before + after;
          return JSON.parse(data);
        }
        const { done, value = '' } = await reader.read();
        if (done) return null;
        text += value;
      }
    },
  };
}
