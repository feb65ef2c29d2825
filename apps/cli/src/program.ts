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
The secret key is read from GATERAMP_SECRET_KEY, the service's address from GATERAMP_BASE_URL. Without them the demo partner
of a server on this machine is used (npm start).

Examples:
  $ gateramp listen --forward-to localhost:3000/hooks
  $ gateramp trigger succeed
  $ gateramp deliveries list --status dead_lettered

Exit codes: 0 done, 1 refused or not valid, 2 not understood, 3 the service did not answer.`;

/** `gateramp`: for engineers who build against Gateramp. */
export function program(terminal: Terminal): Command {
  const gateramp = new Command('gateramp')
    .description('Develop against Gateramp: webhooks on your laptop, buyers that do as they are told.')
    .version(VERSION)
    .addHelpText('after', HELP)
    .showHelpAfterError('(add --help for what there is)')
    .exitOverride();
  for (const add of [addListen, addTrigger, addSend, addDeliveries, addSessions, addTransactions, addVerify, addOpen])
    add(gateramp, terminal);
  return gateramp;
}
