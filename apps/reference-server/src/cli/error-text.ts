import { GateArgumentError } from '@gateramp/core';
import { TryAgain } from '@gateramp/core/http';
import { AuditAlteredError, SealedTextError } from '@gateramp/core/ports';
import { scrubText } from '@gateramp/core/runtime';
import { StartError } from '../start-error.js';
import { CommandError } from './command-error.js';

/** What a failed command prints: for whatever the operator can fix the message alone, for a bug the stack. */
export function errorText(error: unknown): string {
  if (error instanceof StartError) return error.ofCommand;
  // Values that the engine refuses are usage errors.
  if (error instanceof GateArgumentError) return error.problems.join('\n');
  if (error instanceof SealedTextError) return `GATE_MASTER_KEY: ${error.message}`;
  if (error instanceof CommandError || error instanceof AuditAlteredError || error instanceof TryAgain)
    return error.message;
  return scrubText(error instanceof Error ? (error.stack ?? error.message) : String(error));
}
