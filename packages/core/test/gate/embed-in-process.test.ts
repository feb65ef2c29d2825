import { createGate, type Gate, type Mode } from '@gateramp/core';
import { inProcessScheduler, memoryRateLimits, memoryStore } from '@gateramp/adapters-store-memory';
import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { describe, expect, it } from 'vitest';

const ORIGINS = ['https://shop.example', 'https://other.example'];

function newGate(): Gate {
  return createGate({
    store: memoryStore(),
    scheduler: inProcessScheduler(),
    limits: memoryRateLimits(),
    providers: [sandboxProvider()],
  });
}

async function keyOf(gate: Gate, mode: Mode, { liveEnabled = true, expiresAt = null as number | null } = {}) {
  const { id } = await gate.admin.createPartner({ name: 'Acme', allowedOrigins: ORIGINS, liveEnabled });
  const lasting = expiresAt === null ? {} : { expiresAt };
  return (await gate.admin.issueKey(id, { mode, type: 'publishable', ...lasting })).text;
}

describe('the origins that may frame the checkout of a publishable key', () => {
  it.each(['test', 'live'] as const)('are the allowed origins of its partner: %s', async (mode) => {
    const gate = newGate();
    expect(await gate.embed.allowedOrigins(mode, await keyOf(gate, mode))).toEqual(ORIGINS);
  });

  it('are null for a key that bootstrap would not accept there', async () => {
    const gate = newGate();
    const test = await keyOf(gate, 'test');
    expect(await gate.embed.allowedOrigins('live', test)).toBeNull();
    expect(await gate.embed.allowedOrigins('test', `${test}x`)).toBeNull();
    expect(await gate.embed.allowedOrigins('test', 'no key')).toBeNull();
    expect(await gate.embed.allowedOrigins('live', await keyOf(gate, 'live', { liveEnabled: false }))).toBeNull();
    expect(await gate.embed.allowedOrigins('test', await keyOf(gate, 'test', { expiresAt: 1 }))).toBeNull();
    await gate.admin.revokeKey(test);
    expect(await gate.embed.allowedOrigins('test', test)).toBeNull();
  });

  it('come with the appearance of the checkout, under the partner’s name by default', async () => {
    const gate = newGate();
    const key = await keyOf(gate, 'test');
    const plain = { display_name: 'Acme', logo_url: null, accent_color: null, theme: null };
    expect(await gate.embed.look('test', key)).toEqual(plain);
    expect(await gate.embed.look('live', key)).toBeNull();
    expect(await gate.embed.look('test', 'no key')).toBeNull();
  });

  it('are null for a secret key, which must not be in a page', async () => {
    const gate = newGate();
    const { id } = await gate.admin.createPartner({ name: 'Acme', allowedOrigins: ORIGINS });
    const secret = await gate.admin.issueKey(id, { mode: 'test', type: 'secret' });
    expect(await gate.embed.allowedOrigins('test', secret.text)).toBeNull();
  });
});
