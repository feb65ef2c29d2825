import { ok, type Result } from 'neverthrow';
import type { Mode } from '../../domain/mode.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import type { Engine } from '../engine.js';
import { reportOutcome, type Reported } from './report-outcome.js';
import { findProvider } from './route-provider.js';

export type CallbackRefusal = Refusal<
  'route_not_found' | 'malformed_credential' | 'validation_failed' | 'intent_not_found'
>;

/** A provider calls: its adapter authenticates the raw bytes, then the update counts once. */
export async function acceptCallback(
  engine: Engine,
  mode: Mode,
  name: string,
  callback: { readonly rawBody: Uint8Array; readonly headers: Readonly<Record<string, string>> },
): Promise<Result<Reported, CallbackRefusal>> {
  const provider = findProvider(engine, name);
  if (provider === null) return refuse('route_not_found', 'There is no such provider.');
  const reading = await provider.parseCallback({ ...callback, mode, now: engine.clock.wall() });
  switch (reading.kind) {
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
