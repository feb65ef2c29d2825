#!/usr/bin/env node
import { GateArgumentError } from '@gateramp/core';
import { VERSION } from '@gateramp/core/http';
import { scrubText } from '@gateramp/core/runtime';
import { Command, CommanderError } from 'commander';
import { addAuditCommands, addAuditOptions } from './cli/audit-commands.js';
import { addEndpointCommands } from './cli/endpoint-commands.js';
import { addLedgerCommands } from './cli/ledger-commands.js';
import { addLegCommands } from './cli/leg-commands.js';
import { addPriceCommands } from './cli/price-commands.js';
import { addKeyCommands } from './cli/key-commands.js';
import { addConsoleCommands } from './cli/console-commands.js';
import { addDrainCommand } from './cli/drain-command.js';
import { addReplayCommand } from './cli/replay-command.js';
import { addTransactionCommands } from './cli/transaction-commands.js';
import { addShowCommand } from './cli/show-command.js';
import { addWorkCommands } from './cli/work-commands.js';
import { addPartnerCommands } from './cli/partner-commands.js';
import { addBackupCommand } from './cli/backup-command.js';
import { addPartitionCommands } from './cli/partition-commands.js';
import { addPoolCommands } from './cli/pool-commands.js';
import { addRecoverCommands } from './cli/recover-command.js';
import { addMoveCommand } from './cli/move-command.js';
import { addMigrateCommand } from './cli/migrate-command.js';
import { printNote } from './cli/print.js';
import { CommandError, UsageError } from './cli/command-error.js';
import { StartError } from './start-error.js';
import { endOnSignal } from './stop-signals.js';

/** Exit code for invalid usage, which scripts can distinguish from failures. */
const USAGE_EXIT_CODE = 2;

/** The `gate` command: partners, keys, webhook endpoints and pools of a server with durable data. */
export function program(): Command {
  const gate = new Command('gate')
    .description(
      'Administer a Gateramp server with durable data. Requires the settings of the server: DATABASE_URL and GATE_MASTER_KEY, or GATE_DATA_DIR.',
    )
    .version(VERSION)
    .showHelpAfterError('(run with --help for usage)')
    .exitOverride();
  addPartnerCommands(gate);
  addKeyCommands(gate);
  addEndpointCommands(gate);
  addConsoleCommands(gate);
  addPoolCommands(gate);
  addLegCommands(gate);
  addLedgerCommands(gate);
  addPriceCommands(gate);
  addReplayCommand(gate);
  addDrainCommand(gate);
  addTransactionCommands(gate);
  addShowCommand(gate);
  addWorkCommands(gate);
  addMigrateCommand(gate);
  addPartitionCommands(gate);
  addBackupCommand(gate);
  addRecoverCommands(gate);
  addMoveCommand(gate);
  addAuditCommands(gate);
  addAuditOptions(gate);
  return gate;
}

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
