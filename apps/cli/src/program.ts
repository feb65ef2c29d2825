import { VERSION } from '@gateramp/sdk-node';
import { Command } from 'commander';
import { addDeliveries } from './commands/deliveries.js';
import { addListen } from './commands/listen.js';
import { addOpen } from './commands/open.js';
import { addSend } from './commands/send.js';
import { addSessions } from './commands/sessions.js';
import { addTransactions } from './commands/transactions.js';
import { addTrigger } from './commands/trigger.js';
import { addVerify } from './commands/verify.js';
import { type Terminal } from './terminal.js';

const HELP = `
Reads the secret key from GATERAMP_SECRET_KEY and the address of the service from GATERAMP_BASE_URL. By default it uses the demo
partner of a server on this machine (npm start).

Examples:
  $ gateramp listen --forward-to localhost:3000/hooks
  $ gateramp trigger succeed
  $ gateramp deliveries list --status dead_lettered

Exit codes: 0 success, 1 refused or invalid, 2 usage error, 3 no answer from the service.`;

/** The `gateramp` command, for engineers who integrate Gateramp. */
export function program(terminal: Terminal): Command {
  const gateramp = new Command('gateramp')
    .description('Develop against Gateramp: local webhooks, simulated buyers, deliveries and refunds.')
    .version(VERSION)
    .addHelpText('after', HELP)
    .showHelpAfterError('(run with --help for usage)')
    .exitOverride();
  for (const add of [addListen, addTrigger, addSend, addDeliveries, addSessions, addTransactions, addVerify, addOpen])
    add(gateramp, terminal);
  return gateramp;
}
