#!/usr/bin/env node
import { GateArgumentError } from '@gateramp/core';
import { CommanderError } from 'commander';
import { UsageError } from './cli/command-error.js';
import { errorText } from './cli/error-text.js';
import { printNote } from './cli/print.js';
import { program } from './cli/program.js';
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
    printNote(errorText(error));
    process.exit(error instanceof UsageError || error instanceof GateArgumentError ? USAGE_EXIT_CODE : 1);
  });
