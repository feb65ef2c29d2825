import { expect, it } from 'vitest';
import { memoryKycVault } from '../src/index.js';

const entry = { sessionId: 's1', partnerId: 'acme', mode: 'test' as const, body: '{"name":"Ada"}' };

it('keeps one package a session and forgets it without a trace', async () => {
  const vault = memoryKycVault();
  await vault.store(entry);
  await vault.store({ ...entry });
  expect(vault.find('s1')).toEqual(entry);
  await vault.forget('s1');
  await vault.forget('s1');
  expect(vault.find('s1')).toBeNull();
});
