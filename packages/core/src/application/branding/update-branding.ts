import { ok, type Result } from 'neverthrow';
import { rebrand, type Branding, type Rebranding } from '../../domain/branding/branding.js';
import type { Scope } from '../../domain/mode.js';
import type { Refusal } from '../../domain/refusal.js';
import { emptyChange } from '../../ports/change.js';
import { execute } from '../commit/execute.js';
import type { KeyRefusal } from '../commit/stored-reply.js';
import { documentWrite } from '../documents/document-kind.js';
import type { Engine } from '../engine.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import { answered, onePerKey, type Answered } from '../idempotency/one-per-key.js';
import { brandingKind, readBranding } from './read-branding.js';

/** Changes how the checkout of one mode looks. Two that change different fields at once both count. */
export async function updateBranding(
  engine: Engine,
  scope: Scope,
  changes: Rebranding,
  idempotent: Idempotent<Branding | null> | null,
): Promise<Result<Answered<Branding | null>, KeyRefusal | Refusal<'operation_in_progress'>>> {
  const done = await onePerKey(engine, idempotent, () =>
    execute<Branding | null, Branding | null, never>(
      engine,
      {
        load: async () => ok(await readBranding(engine, scope)),
        decide: (before) => {
          const now = engine.clock.now(scope.mode);
          const next = rebrand(before, scope, changes, now);
          const documents = next === null || next === before ? [] : [documentWrite(brandingKind, next, before)];
          return ok({ change: { ...emptyChange(scope, now), documents }, value: next });
        },
      },
      idempotent,
    ),
  );
  return done.andThen(answered);
}
