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

interface RefundOptions extends ServiceOptions {
  readonly amount?: string;
  readonly reason?: string;
  readonly key?: string;
}

const HELP = `
Examples:
  $ gateramp transactions list --status completed
  $ gateramp transactions refund gtx_4fQ9bTzW1kLmX7cVn2Rs --amount 20.00 --reason "Damaged item"`;

export function addTransactions(gateramp: Command, terminal: Terminal): void {
  const transactions = gateramp
    .command('transactions')
    .description('list, inspect and refund transactions')
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

  withService(transactions.command('refund <refid>'))
    .description('refund a completed transaction, in full or by --amount')
    .option('--amount <amount>', 'amount to refund, in the currency that was paid')
    .option('--reason <text>', 'your note, shown on the transaction')
    .option('--key <key>', 'Idempotency-Key; reuse it to retry a refund whose response was lost')
    .action(async (refid: string, { amount, reason, key, ...options }: RefundOptions) => {
      const call = key === undefined ? {} : { idempotencyKey: key };
      const refunded = await serviceOf(terminal, options).transactions.refund(refid, { amount, reason }, call);
      printOne(refunded, options, terminal);
    });
}
