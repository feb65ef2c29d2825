import { expect, it } from 'vitest';
import { startReferenceServer, TEST_PARTNER } from '../../../tests/services/reference-server.js';
import { Gate, NotFoundError } from '../src/index.js';

it('opens a session on the service, reads it and cancels it', async () => {
  const { origins, returnUrl } = await startReferenceServer();
  const gate = new Gate(TEST_PARTNER.secretKey, { baseUrl: `${origins.sandbox}/` });
  const session = await gate.gateSessions.create({ amount: '100.00', currency: 'EUR', return_url: returnUrl });
  expect(session).toMatchObject({ object: 'gate_session', status: 'open', amount: '100.00' });
  expect(session.client_secret).toMatch(/^gsec_/);
  const { client_secret: _, ...read } = session;
  expect(await gate.gateSessions.retrieve(session.id)).toEqual(read);
  expect(await gate.gateSessions.cancel(session.id)).toMatchObject({ status: 'cancelled' });
  await expect(gate.gateSessions.retrieve('68a1f0c2b7e94d1f3a5c7e90')).rejects.toBeInstanceOf(NotFoundError);
});
