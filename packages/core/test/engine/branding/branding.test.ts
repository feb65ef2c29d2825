import { createTestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';

const CALLER = { partnerId: '65f0c0ffee65f0c0ffee0001', mode: 'test' } as const;

it('in-process calls read and update branding by the rules of the HTTP API', async () => {
  const t = await createTestGate();
  const { branding } = t.gate;
  expect((await branding.retrieve(CALLER))._unsafeUnwrap()).toMatchObject({ theme: null, updated_at: null });
  const changed = (await branding.update(CALLER, { display_name: 'Acme', theme: 'dark' }))._unsafeUnwrap();
  expect((await branding.retrieve(CALLER))._unsafeUnwrap()).toEqual(changed);
  expect((await t.request('GET', '/v1/branding', { key: t.keys.secret.test })).json).toEqual(changed);
  const live = (await branding.retrieve({ ...CALLER, mode: 'live' }))._unsafeUnwrap();
  expect(live.display_name).toBeNull();
  const refused = (await branding.update(CALLER, { accent_color: 'red' }))._unsafeUnwrapErr();
  expect(refused).toMatchObject({ code: 'validation_failed', fields: [{ field: 'accent_color' }] });
});

it('an in-process repeat with the same key returns the first result; another body is refused', async () => {
  const { branding } = (await createTestGate()).gate;
  const key = { idempotencyKey: 'k' };
  const first = (await branding.update(CALLER, { theme: 'dark' }, key))._unsafeUnwrap();
  (await branding.update(CALLER, { theme: 'light' }))._unsafeUnwrap();
  expect((await branding.update(CALLER, { theme: 'dark' }, key))._unsafeUnwrap()).toEqual(first);
  expect((await branding.update(CALLER, { theme: 'light' }, key))._unsafeUnwrapErr().code).toBe(
    'idempotency_key_mismatch',
  );
  expect((await branding.retrieve(CALLER))._unsafeUnwrap().theme).toBe('light');
});
