import { apiDocument } from '@gateramp/extensions/api-document';
import { pools } from '@gateramp/extensions/pools';
import { createTestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { reminders } from '../reminders.js';

it('describes the endpoints of every extension of its gate, wherever it is in the list', async () => {
  const { gate } = await createTestGate({ extensions: [apiDocument(), pools(), reminders] });
  const read = async (path: string) =>
    (await gate.fetch(new Request(`http://gate.example${path}`), { mode: 'test', clientIp: '192.0.2.1' })).text();
  const paths = Object.keys((JSON.parse(await read('/openapi.json')) as { readonly paths: object }).paths);
  const own = paths.indexOf('/v1/reminders/{id}');
  // After the endpoints of the engine for partners, before those for providers, tests and probes.
  expect(own).toBeGreaterThan(paths.indexOf('/v1/rails/pay_outs'));
  expect(own).toBeLessThan(paths.indexOf('/v1/providers/{name}/callbacks'));
  expect(await read('/docs')).toContain('<code>POST /v1/reminders/{id}</code>');
});
