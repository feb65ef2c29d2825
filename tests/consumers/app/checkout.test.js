import { createTestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';

it('a session is settled', async () => {
  const t = await createTestGate();
  const session = await t.createSession({ amount: '100.00' });
  await t.settle(session.id);
  expect((await t.retrieveSession(session.id)).status).toBe('completed');
});
