import { inProcessScheduler, memoryRateLimits, memoryStore } from '@gateramp/adapters-store-memory';
import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { createGate, type Gate } from '@gateramp/core';
import { sandbox, type SandboxControl } from '@gateramp/extensions/sandbox';
import { expect, it } from 'vitest';

const provider = sandboxProvider();

function gateWith(control?: SandboxControl): Gate {
  const memory = { store: memoryStore(), scheduler: inProcessScheduler(), limits: memoryRateLimits() };
  return createGate({ ...memory, providers: [provider], extensions: [sandbox(control)] });
}

/** The test helper's response to a simulated successful purchase. */
async function simulate({ admin, sessions, fetch }: Gate): Promise<Record<string, unknown>> {
  const { id: partnerId } = await admin.createPartner({ name: 'Acme', allowedOrigins: ['https://shop.example'] });
  const { text } = await admin.issueKey(partnerId, { mode: 'test', type: 'secret' });
  const body = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };
  const session = (await sessions.create({ partnerId, mode: 'test' }, body))._unsafeUnwrap();
  const request = new Request(`http://gate.example/v1/test_helpers/gate_sessions/${session.id}/simulate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${text}`, 'content-type': 'application/json', 'idempotency-key': 'one' },
    body: JSON.stringify({ scenario: 'processing' }),
  });
  const answer = await fetch(request, { mode: 'test', clientIp: '203.0.113.7' });
  return (await answer.json()) as Record<string, unknown>;
}

it('simulates scenarios if the host has configured the controls of its sandbox provider', async () => {
  expect(await simulate(gateWith(provider.control))).toMatchObject({ status: 'processing' });
});

it('simulates none without controls, or with those of another provider', async () => {
  expect(await simulate(gateWith())).toMatchObject({ code: 'corridor_not_supported' });
  const control = { ...provider.control, provider: 'another' };
  expect(await simulate(gateWith(control))).toMatchObject({ code: 'corridor_not_supported' });
});

it('throws for controls that lack a method', () => {
  const { settle: _, ...control } = provider.control;
  // @ts-expect-error the controls lack a method
  expect(() => sandbox(control)).toThrow('The control lacks settle.');
});
