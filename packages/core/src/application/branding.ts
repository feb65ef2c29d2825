import { ok } from 'neverthrow';
import type { AuditContext } from '../domain/audit.js';
import { type Branding, BRANDING_ID, rebrand, type BrandingUpdate } from '../domain/branding/branding.js';
import type { Scope } from '../domain/mode.js';
import { emptyChange } from '../ports/change.js';
import { type DocumentKind, documentWrite, findRow } from './documents/document-kind.js';
import type { Engine } from './engine.js';
import type { Idempotent } from './idempotency/idempotent.js';
import { executeKeyed, type Keyed } from './idempotency/keyed.js';

const brandingKind: DocumentKind<Branding> = { noun: 'branding' };

/** The branding of the caller's checkout in this mode; null if it was never set. */
export function retrieveBranding({ store }: Engine, scope: Scope): Promise<Branding | null> {
  return findRow(store, brandingKind, scope, BRANDING_ID);
}

/** Updates the branding of one mode. Concurrent updates of different fields both take effect. */
export function updateBranding(
  engine: Engine,
  scope: Scope,
  changes: BrandingUpdate,
  by: AuditContext,
  idempotent: Idempotent<Branding | null> | null,
): Keyed<Branding | null, never> {
  return executeKeyed<Branding | null, Branding | null, never>(
    engine,
    {
      load: async () => ok(await retrieveBranding(engine, scope)),
      decide: (before) => {
        const now = engine.clock.now(scope);
        const next = rebrand(before, scope, changes, now);
        const change = emptyChange(scope, now);
        if (next === null || next === before) return ok({ change, value: next });
        const documents = [documentWrite(brandingKind, next, before)];
        const target = { type: 'branding', id: BRANDING_ID };
        return ok({
          change: { ...change, documents },
          value: next,
          audited: [{ ...by, ...scope, action: 'branding.update', target, before, after: next }],
        });
      },
    },
    idempotent,
  );
}
