import { expect, it } from 'vitest';
import {
  brandingResource,
  rebrand,
  type Branding,
  type BrandingUpdate,
} from '../../../src/domain/branding/branding.js';

const SCOPE = { partnerId: 'acme', mode: 'test' } as const;
const T0 = Date.UTC(2030, 0, 1);

function branded(changes: BrandingUpdate, before: Branding | null = null, now = T0): Branding {
  const next = rebrand(before, SCOPE, changes, now);
  if (next === null) throw new Error('Nothing was branded.');
  return next;
}

it('keeps omitted fields and clears null ones', () => {
  const first = branded({ displayName: 'Acme', theme: 'dark' });
  const next = branded({ theme: null, accentColor: '#000000' }, first, T0 + 1);
  expect(next).toMatchObject({ displayName: 'Acme', theme: null, accentColor: '#000000', logoUrl: null });
  expect([next.createdAt, next.updatedAt]).toEqual([T0, T0 + 1]);
});

it('returns the same object if nothing changes', () => {
  const first = branded({ theme: 'dark' });
  expect(rebrand(first, SCOPE, { theme: 'dark', logoUrl: null }, T0 + 1)).toBe(first);
  expect(rebrand(null, SCOPE, { theme: null }, T0)).toBeNull();
});

it('has every field, null until it is set', () => {
  expect(JSON.parse(brandingResource(null))).toEqual({
    object: 'branding',
    display_name: null,
    logo_url: null,
    accent_color: null,
    theme: null,
    support_url: null,
    updated_at: null,
  });
  expect(JSON.parse(brandingResource(branded({ theme: 'light' })))).toMatchObject({
    theme: 'light',
    updated_at: '2030-01-01T00:00:00.000Z',
  });
});
