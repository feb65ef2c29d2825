import { VERSION } from '@gateramp/core/http';
import { Command } from 'commander';
import { addAuditCommands } from './audit-commands.js';
import { addCommonOptions } from './common-options.js';
import { addEndpointCommands } from './endpoint-commands.js';
import { addLedgerCommands } from './ledger-commands.js';
import { addLegCommands } from './leg-commands.js';
import { addPriceCommands } from './price-commands.js';
import { addKeyCommands } from './key-commands.js';
import { addConsoleCommands } from './console-commands.js';
import { addDrainCommand } from './drain-command.js';
import { addReplayCommand } from './replay-command.js';
import { addTransactionCommands } from './transaction-commands.js';
import { addShowCommand } from './show-command.js';
import { addWorkCommands } from './work-commands.js';
import { addPartnerCommands } from './partner-commands.js';
import { addBackupCommand } from './backup-command.js';
import { addPartitionCommands } from './partition-commands.js';
import { addPoolCommands } from './pool-commands.js';
import { addRecoverCommands } from './recover-command.js';
import { addMoveCommand } from './move-command.js';
import { addMigrateCommand } from './migrate-command.js';

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
  addCommonOptions(gate);
  return gate;
}
