import { randomUUID } from 'node:crypto';
import type { Scope } from '@gateramp/core/domain';
import type { Command } from 'commander';
import { type CommandContext, withDatabase } from './administration.js';
import { CommandError } from './command-error.js';
import { readReason } from './options.js';
import { print, printResult, printNote } from './print.js';

interface Refund {
  readonly amount?: string;
  readonly reason: string;
  readonly key?: string;
}

/** Refunds are handled by operators: partners have no endpoint for them. */
export function addTransactionCommands(gate: Command): void {
  const transactions = gate.command('transactions').description('Refund transactions');

  transactions
    .command('refund <refid>')
    .description(
      'Refund a completed transaction, in whole or in part. The refund is committed, and a running server makes it',
    )
    .option('--amount <amount>', 'in the currency that was paid (default: the remaining amount)')
    .requiredOption('--reason <text>', 'shown to the partner, and recorded in the audit trail', readReason)
    .option('--key <key>', 'repeat the command with the same key to refund once (default: a new key)')
    .action(async (refid: string, { amount, reason, key = randomUUID() }: Refund) => {
      printNote(`If this is interrupted, repeat it with --key ${key}.`);
      const done = await withDatabase(async (context) => {
        const scope = await scopeOf(context, refid);
        return context.admin.refundTransaction(
          scope,
          refid,
          { amount: amount ?? null, reason },
          { idempotencyKey: key },
        );
      });
      if (done.isErr()) throw new CommandError(`${done.error.message} Nothing was refunded.`);
      const transaction = done.value;
      printResult(transaction);
      const { amount: refunded, currency, status } = transaction.refunds.at(-1) ?? {};
      print(`The refund of ${refunded ?? ''} ${currency ?? ''} is ${status ?? ''}. Follow it with: gate show ${refid}`);
    });
}

/** Of both modes and all partners. */
async function scopeOf({ admin }: CommandContext, refid: string): Promise<Scope> {
  const found = await admin.find(refid);
  if (found?.kind !== 'transaction') throw new CommandError(`There is no transaction ${refid}.`);
  return found.scope;
}
