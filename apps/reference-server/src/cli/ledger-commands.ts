import { decimal } from '@gateramp/core/domain';
import {
  entriesOf,
  reconcileLedger,
  trialBalance,
  type LedgerEntry,
  type ReconciledPosition,
} from '@gateramp/provider-legs';
import { Option, type Command } from 'commander';
import { cliLegsOfProcess } from '../config/cli-config.js';
import { openLegs } from '../legs/open-legs.js';
import { withDatabase, type CommandContext } from './administration.js';
import { CommandError } from './command-error.js';
import { arrivedRows } from './deposit-commands.js';
import { readPast, type Moment } from './options.js';
import { moment, print, printResult, printTable } from './print.js';

interface ExportOptions {
  readonly from?: Moment;
  readonly to?: Moment;
  readonly format: 'csv' | 'ndjson';
  readonly json?: boolean;
}

/** The books of the provider legs. */
export function addLedgerCommands(gate: Command): void {
  const ledger = gate.command('ledger').description('Read the ledger of the provider legs');

  ledger
    .command('trial-balance')
    .description('Print the balance of each account. Debits and credits of a currency are equal')
    .option('--at <time>', 'balances before this time: a day, a time, or a duration ago', readPast)
    .action(async ({ at }: { readonly at?: Moment }) => {
      const { rows, totals } = await withDatabase((context) => trialBalance(context.legsStore, timeOf(context, at)));
      printResult({ rows, totals });
      printTable(
        ['ACCOUNT', 'CURRENCY', 'DEBIT', 'CREDIT'],
        [...rows, ...totals.map((total) => ({ account: 'total', ...total }))].map((row) => [
          row.account,
          row.currency,
          row.debit,
          row.credit,
        ]),
      );
      const crooked = totals.find(({ debit, credit }) => debit !== credit);
      if (crooked !== undefined)
        throw new CommandError(`The ledger does not balance in ${crooked.currency}. Restore it from a backup.`);
    });

  ledger
    .command('export')
    .description('Print every posting of a period, oldest first, for accounting')
    .option('--from <time>', 'first time, inclusive: a day, a time, or a duration ago', readPast)
    .option('--to <time>', 'last time, exclusive', readPast)
    .addOption(new Option('--format <format>', 'output format').choices(['csv', 'ndjson']).default('csv'))
    .action(async ({ from, to, format, json = false }: ExportOptions) => {
      await withDatabase(async (context) => {
        const period = { from: timeOf(context, from) ?? null, to: timeOf(context, to) ?? null };
        if (format === 'csv') print(CSV_COLUMNS.join(','));
        const entries: Exported[] = [];
        for await (const entry of entriesOf(context.legsStore, period)) {
          const exported = exportedOf(entry);
          if (json) entries.push(exported);
          for (const line of format === 'csv' ? csvLines(exported) : [JSON.stringify(exported)]) print(line);
        }
        printResult(entries);
      });
    });

  addReconcileCommand(ledger);
}

function addReconcileCommand(ledger: Command): void {
  ledger
    .command('reconcile')
    .description("Compare the ledger with the chain and the processor. Requires the server's GATE_LEGS_FILE")
    .action(async () => {
      const config = cliLegsOfProcess();
      const { positions, running } = await withDatabase(async ({ legsStore: store }) => {
        const legs = openLegs(config, { store, alarm: () => undefined, onError: () => undefined });
        return reconcileLedger(store, await legs.positions());
      });
      const unbooked = await unbookedDeposits();
      printResult({ positions, running, unbooked_deposits: unbooked });
      printTable(['ACCOUNT', 'CURRENCY', 'PART', 'AMOUNT'], positions.flatMap(rowsOf));
      if (running.length > 0)
        print(`Running operations, which may not have booked their last call: ${running.join(', ')}`);
      for (const { amount, asset, network, address, operation_id: id, status } of unbooked)
        print(`Not booked yet: ${amount} ${asset}@${network} at ${address}, operation ${id} (${status ?? 'unknown'})`);
      const wrong = positions.filter(({ difference }) => difference !== '0');
      if (wrong.length > 0)
        throw new CommandError(
          `The ledger differs by ${wrong.map(({ difference, currency }) => `${difference} ${currency}`).join(', ')}.`,
        );
    });
}

/** Deposits that the chain has and the ledger does not: of sales that wait for the rest, and those that an operator decides. */
async function unbookedDeposits() {
  const rows = await arrivedRows();
  return rows
    .filter((row) => decimal.isPositive(row.unattributed))
    .map(({ unattributed: amount, asset, network, address, operation_id, status }) => ({
      amount,
      asset,
      network,
      address,
      operation_id,
      status,
    }));
}

function rowsOf({ account, currency, parts, ledger, difference }: ReconciledPosition): readonly (readonly string[])[] {
  return [
    ...parts.map(({ name, amount }) => [account, currency, name, amount]),
    [account, currency, 'ledger', ledger],
    [account, currency, 'difference', difference],
  ];
}

function timeOf({ clock }: CommandContext, at: Moment | undefined): number | undefined {
  return at?.(clock.wall());
}

const CSV_COLUMNS = ['entry', 'operation', 'at', 'account', 'currency', 'amount'] as const;

type Exported = ReturnType<typeof exportedOf>;

function exportedOf({ id, operationId, at, postings }: LedgerEntry) {
  return { entry: id, operation: operationId, at: moment(at), postings };
}

function csvLines({ entry, operation, at, postings }: Exported): readonly string[] {
  return postings.map(({ account, currency, amount }) =>
    [entry, operation, at, account, currency, amount].map(quoted).join(','),
  );
}

/** Quotes a value that a spreadsheet would split. */
function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
