#!/usr/bin/env node
import { GateFault } from '@gateramp/core';
import { Command, CommanderError } from 'commander';
import { addEndpointCommands } from './cli/endpoint-commands.js';
import { addKeyCommands } from './cli/key-commands.js';
import { addPartnerCommands } from './cli/partner-commands.js';
import { addBackupCommand } from './cli/backup-command.js';
import { addPoolCommands } from './cli/pool-commands.js';
import { addMoveCommand } from './cli/move-command.js';
import { addMigrateCommand } from './cli/migrate-command.js';
import { CommandFault } from './cli/command-fault.js';
import { StartFault } from './start-fault.js';

/** `gate`: partners, keys, webhook endpoints and pools of a server that keeps its data. */
export function program(): Command {
  const gate = new Command('gate')
    .description(
      'Administration of a Gateramp server that keeps its data. Reads DATABASE_URL or GATE_DATA_DIR, and GATE_MASTER_KEY, like the server.',
    )
    .showHelpAfterError('(add --help for what there is)')
    .exitOverride();
  addPartnerCommands(gate);
  addKeyCommands(gate);
  addEndpointCommands(gate);
  addPoolCommands(gate);
  addMigrateCommand(gate);
  addBackupCommand(gate);
  addMoveCommand(gate);
  return gate;
}

// `gate … | head`: whoever read the output has had enough. The command goes on to its end all the same.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

program()
  .parseAsync()
  .catch((error: unknown) => {
    // Commander has said it already, and help that was asked for is no failure.
    if (error instanceof CommanderError) process.exit(error.exitCode);
    process.stderr.write(`${textOf(error)}\n`);
    process.exit(1);
  });

function textOf(error: unknown): string {
  if (error instanceof StartFault) return error.ofCommand;
  // What the engine cannot use is what was typed.
  if (error instanceof GateFault) return error.problems.join('\n');
  if (error instanceof CommandFault) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
