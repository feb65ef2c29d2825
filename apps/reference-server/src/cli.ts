#!/usr/bin/env node
import { GateArgumentError } from '@gateramp/core';
import { scrubText } from '@gateramp/core/runtime';
import { CommanderError } from 'commander';
import { CommandError, UsageError } from './cli/command-error.js';
import { printNote } from './cli/print.js';
import { program } from './cli/program.js';
import { StartError } from './start-error.js';
import { endOnSignal } from './stop-signals.js';

/** Exit code for invalid usage, which scripts can distinguish from failures. */
const USAGE_EXIT_CODE = 2;

// `gate … | head`: the reader has closed the pipe. The command still runs to its end.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

endOnSignal();
program()
  .parseAsync()
  .catch((error: unknown) => {
    // Commander has already printed it. Requested help or version output is not a failure.
    if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : USAGE_EXIT_CODE);
    printNote(textOf(error));
    process.exit(error instanceof UsageError || error instanceof GateArgumentError ? USAGE_EXIT_CODE : 1);
  });

function textOf(error: unknown): string {
  if (error instanceof StartError) return error.ofCommand;
  // Values that the engine refuses are usage errors.
  if (error instanceof GateArgumentError) return error.problems.join('\n');
  if (error instanceof CommandError) return error.message;
  return scrubText(error instanceof Error ? (error.stack ?? error.message) : String(error));
}
