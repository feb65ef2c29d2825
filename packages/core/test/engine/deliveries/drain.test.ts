import { createTestGate, type TestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';
import type { WebhookAnswer } from '@gateramp/core/ports';

const ACCEPTED: WebhookAnswer = { responseStatus: 200, responseBody: null, error: null };

/** A gate whose receiver answers when the test says so. */
async function withSlowReceiver() {
  const answers: (() => void)[] = [];
  let sent = 0;
  const sender = {
    send: () => {
      sent += 1;
      return new Promise<WebhookAnswer>((resolve) => answers.push(() => resolve(ACCEPTED)));
    },
    close: async () => undefined,
  };
  const t = await createTestGate({ ports: { sender } });
  return { t, sent: () => sent, answerAll: () => answers.splice(0).forEach((give) => give()) };
}

async function statuses(t: TestGate): Promise<readonly unknown[]> {
  const page = await t.request('GET', '/v1/webhooks/deliveries', { key: t.keys.secret.test });
  return (page.json['data'] as readonly { readonly status: string }[]).map(({ status }) => status);
}

it('drain claims no more work, waits for running work, and keeps serving requests; resume claims again', async () => {
  const { t, sent, answerAll } = await withSlowReceiver();
  await t.createSession();
  const running = t.gate.runDue();
  await expect.poll(sent).toBe(1);

  let isDrained = false;
  const drained = t.gate.drain().then(() => (isDrained = true));
  await t.createSession();
  const asked = t.gate.runDue();
  expect([sent(), isDrained]).toEqual([1, false]);
  answerAll();
  await Promise.all([drained, running, asked]);
  expect(await statuses(t)).toEqual(['pending', 'delivered']);
  await t.gate.runDue();
  expect(sent()).toBe(1);

  const another = t.restart();
  const byAnother = another.gate.runDue();
  await expect.poll(sent).toBe(2);
  answerAll();
  await byAnother;

  await t.createSession();
  await t.gate.resume();
  await expect.poll(sent).toBe(3);
  answerAll();
  await t.gate.drain();
  expect(await statuses(t)).toEqual(['delivered', 'delivered', 'delivered']);
});

it('a worker that is drained before it starts claims nothing until it is resumed', async () => {
  const { t, sent, answerAll } = await withSlowReceiver();
  await t.createSession();
  await t.gate.drain();
  await t.gate.start();
  await t.gate.runDue();
  expect(sent()).toBe(0);
  const resumed = t.gate.resume();
  await expect.poll(sent).toBe(1);
  answerAll();
  await resumed;
  await t.gate.stop();
});
