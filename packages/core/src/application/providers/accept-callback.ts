import { ok, type Result } from 'neverthrow';
import type { Intent } from '../../domain/intent/intent.js';
import { storable } from '../../domain/json.js';
import type { Mode } from '../../domain/mode.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import type { ProviderReport } from '../../ports/provider.js';
import type { Engine } from '../engine.js';
import { commitOutcome } from '../intents/commit-outcome.js';
import { findProvider } from './route-provider.js';

export interface ReportResult {
  readonly intentId: string;
  /** False if this event was reported before. */
  readonly fresh: boolean;
}

/**
 * Applies a provider update that arrived by callback or in process. Counted once per provider and event id, in the commit that applies it;
 * accepted by rank, so order does not matter.
 */
export async function reportOutcome(
  engine: Engine,
  mode: Mode,
  provider: string,
  report: ProviderReport,
): Promise<Result<ReportResult, Refusal<'intent_not_found'>>> {
  const { operationId, eventId } = storable({ operationId: report.operationId, eventId: report.eventId });
  const intent: Intent | null = await engine.store.find('intent_by_operation', mode, provider, operationId);
  if (intent === null) return refuse('intent_not_found', 'No intent has this operation.');
  const done = await commitOutcome(engine, {
    scope: { partnerId: intent.partnerId, mode },
    intentId: intent.id,
    operationId,
    askedAt: null,
    outcome: report.outcome,
    details: report.details,
    checkAfterMs: null,
    task: null,
    once: `provider-event/${mode}/${provider}/${eventId}`,
  });
  if (done.isErr()) throw new Error('A report without a key met a stored reply.');
  return ok({ intentId: intent.id, fresh: done.value.kind === 'fresh' });
}

type CallbackRefusal = Refusal<'route_not_found' | 'malformed_credential' | 'validation_failed' | 'intent_not_found'>;

/**
 * Handles a provider's callback: its adapter authenticates the raw bytes, then the update is applied once. Null for callbacks that concern
 * no operation here.
 */
export async function acceptCallback(
  engine: Engine,
  mode: Mode,
  name: string,
  callback: { readonly rawBody: Uint8Array; readonly headers: Readonly<Record<string, string>> },
): Promise<Result<ReportResult | null, CallbackRefusal>> {
  const provider = findProvider(engine, name);
  if (provider === null) return refuse('route_not_found', 'There is no such provider.');
  const { clock } = engine;
  const reading = await provider.parseCallback({
    ...callback,
    mode,
    now: clock.wall(),
    modeNow: clock.ofMode(mode),
    nowOf: (partnerId) => clock.now({ partnerId, mode }),
  });
  switch (reading.kind) {
    case 'ignored':
      return ok(null);
    case 'unauthenticated':
      return refuse('malformed_credential', 'The signature of this callback does not verify.');
    case 'malformed':
      return refuse('validation_failed', reading.message);
    case 'report': {
      const reported = await reportOutcome(engine, mode, name, reading.report);
      return reported.isErr() ? refuse(reported.error.code, reported.error.message) : ok(reported.value);
    }
  }
}
