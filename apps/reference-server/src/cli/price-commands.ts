import { confirmPrice, listPrices, type PriceView } from '@gateramp/provider-legs';
import { isSameCode } from '@gateramp/core/domain';
import type { Command } from 'commander';
import { withDatabase } from './administration.js';
import { CommandError } from './command-error.js';
import { confirm, YES_OPTION, type Confirmation } from './confirm.js';
import { readReason } from './options.js';
import { moment, print, printResult, printNote, printTable } from './print.js';

interface ConfirmOptions extends Confirmation {
  readonly reason: string;
  readonly dryRun?: boolean;
}

/** The prices of the provider legs, and the confirmation of one that jumped. */
export function addPriceCommands(gate: Command): void {
  const prices = gate
    .command('prices')
    .description('Inspect the trusted prices of provider legs and confirm one that jumped');

  prices
    .command('list')
    .description('List the last trusted price of each pair, and prices that are refused because they jumped')
    .action(async () => {
      const found = await withDatabase(({ legsStore }) => listPrices(legsStore));
      printResult(found.map(membersOf));
      printTable(
        ['PAIR', 'TRUSTED PRICE', 'AT', 'REFUSED PRICE', 'SINCE'],
        found
          .map(membersOf)
          .map(({ pair, price, at, refused }) => [pair, price, at, refused?.price ?? '-', refused?.since ?? '-']),
      );
    });

  prices
    .command('confirm <pair>')
    .description('Trust the refused price of a pair, such as USDC/EUR, and offer the pair again')
    .requiredOption('--reason <text>', 'reason, for the record', readReason)
    .option('--dry-run', 'print the price without trusting it')
    .option(...YES_OPTION)
    .action(async (given: string, { dryRun = false, yes }: ConfirmOptions) => {
      await withDatabase(async ({ admin, legsStore }) => {
        const found = (await listPrices(legsStore)).find((one) => isSameCode(one.pair, given));
        if (found === undefined)
          throw new CommandError(`No price of "${given}" was ever used. List the pairs with: gate prices list`);
        const { pair, refused } = found;
        if (refused === null) throw new CommandError(`The price of ${pair} is trusted; there is nothing to confirm.`);
        print(`${pair}  trusted ${found.price}  refused ${refused.price}`);
        if (dryRun) {
          printResult({ ...membersOf(found), is_dry_run: true });
          return printNote('Nothing was changed.');
        }
        await confirm(`${pair} will be sold and bought at ${refused.price}.`, yes === undefined ? {} : { yes });
        const target = { type: 'price', id: pair };
        const entry = { action: 'price.confirm', target, partnerId: null, mode: null };
        const done = await confirmPrice(legsStore, pair, {
          price: refused.price,
          now: Date.now(),
          audited: (rows, commit) => admin.audit.recordWith({ ...entry, ...rows }, commit),
        });
        if (done.kind !== 'confirmed')
          throw new CommandError(`The price of ${pair} has changed in the meantime. Run: gate prices list`);
        printResult({ ...membersOf(done.price), is_dry_run: false });
        print(`${pair} is trusted at ${done.price.price}.`);
      });
    });
}

function membersOf({ pair, price, at, refused }: PriceView) {
  return {
    pair,
    price,
    at: moment(at),
    refused: refused === null ? null : { price: refused.price, since: moment(refused.since) },
  };
}
