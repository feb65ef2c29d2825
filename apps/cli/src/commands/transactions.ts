import { type Command } from 'commander';
import { wholeNumber } from '../numbers.js';
import { printOne, printRows } from '../print.js';
import { serviceOf, withService, type ServiceOptions } from '../service.js';
import { take } from '../take.js';
import { type Terminal } from '../terminal.js';

interface ListOptions extends ServiceOptions {
  readonly limit: string;
  readonly status?: string;
  readonly session?: string;
}

const HELP = `
Examples:
  $ gateramp transactions list --status completed
  $ gateramp transactions show gtx_4fQ9bTzW1kLmX7cVn2Rs`;

export function addTransactions(gateramp: Command, terminal: Terminal): void {
  const transactions = gateramp
    .command('transactions')
    .description('list and inspect transactions')
    .addHelpText('after', HELP);

  withService(transactions.command('list'))
    .description('list transactions, newest first')
    .option('--limit <n>', 'maximum number', '20')
    .option('--status <status>', 'pending, processing, completed, failed, refunded or charged_back')
    .option('--session <id>', 'filter by session')
    .action(async (options: ListOptions) => {
      const query = { status: options.status, session_id: options.session, limit: 100 };
      const limit = wholeNumber('--limit', options.limit);
      const rows = await take(serviceOf(terminal, options).transactions.list(query), limit);
      const columns = ['refid', 'status', 'flow', 'payment_method', 'amount_refunded', 'created_at'] as const;
      printRows(rows, columns, options, terminal);
    });

  withService(transactions.command('show <refid>'))
    .description('show a transaction')
    .action(async (refid: string, options: ServiceOptions) =>
      printOne(await serviceOf(terminal, options).transactions.retrieve(refid), options, terminal),
    );
}
