import { ok } from 'neverthrow';
import { type Branding, BRANDING_ID, rebrand, type BrandingUpdate } from '../domain/branding/branding.js';
import type { Scope } from '../domain/mode.js';
import { emptyChange } from '../ports/change.js';
import { type DocumentKind, documentWrite, findRow } from './documents/document-kind.js';
import type { Engine } from './engine.js';
import type { Idempotent } from './idempotency/idempotent.js';
import { executeKeyed, type Keyed } from './idempotency/keyed.js';

const brandingKind: DocumentKind<Branding> = { noun: 'branding' };

/** How the caller's checkout of this mode looks; null while nothing was ever set. */
export function retrieveBranding({ store }: Engine, scope: Scope): Promise<Branding | null> {
  return findRow(store, brandingKind, scope, BRANDING_ID);
}

/** Changes how the checkout of one mode looks. Two that change different fields at once both count. */
export function updateBranding(
  engine: Engine,
  scope: Scope,
  changes: BrandingUpdate,
  idempotent: Idempotent<Branding | null> | null,
): Keyed<Branding | null, never> {
  return executeKeyed<Branding | null, Branding | null, never>(
    engine,
    {
      load: async () => ok(await retrieveBranding(engine, scope)),
      decide: (before) => {
        const now = engine.clock.now(scope.mode);
        const next = rebrand(before, scope, changes, now);
        const documents = next === null || next === before ? [] : [documentWrite(brandingKind, next, before)];
        return ok({ change: { ...emptyChange(scope, now), documents }, value: next });
      },
    },
    idempotent,
  );
}
