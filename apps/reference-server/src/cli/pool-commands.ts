import { isSameCode } from '@gateramp/core/domain';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { partnerNamed, withDatabase } from './administration.js';
import { CommandError } from './command-error.js';
import { print, printResult, printTable } from './print.js';

interface Terms {
  readonly partner: string;
  readonly asset: string;
  readonly network: string;
  readonly currency: string;
  readonly spreadBps: number;
  readonly feeBps: number;
}

interface Movement {
  readonly partner: string;
  readonly currency: string;
  readonly amount: string;
  readonly reference: string;
}

interface Access {
  readonly partner: string;
  readonly status: 'active' | 'suspended';
  readonly kyc: 'approved' | 'pending';
}

/** Pools exist in live mode only, so no command takes a mode. */
export function addPoolCommands(gate: Command): void {
  const pools = gate.command('pools').description('Manage liquidity pools and their balances');

  pools
    .command('list')
    .description('List the pools of a partner')
    .requiredOption('--partner <id>', 'the partner')
    .action(async ({ partner }: { partner: string }) => {
      const all = await withDatabase(async ({ admin, store }) => {
        await partnerNamed(store, partner);
        return admin.listPools(partner);
      });
      printResult(all);
      printTable(
        ['ID', 'ASSET', 'NETWORK', 'CURRENCY', 'SPREAD', 'FEE', 'AVAILABLE', 'RESERVED'],
        all.map(({ id, asset, network, currency, spreadBps, feeBps, balances }) => [
          id,
          asset,
          network,
          currency,
          `${spreadBps} bps`,
          `${feeBps} bps`,
          balances.map((one) => `${one.available} ${one.currency}`).join(', '),
          balances.map((one) => `${one.reserved} ${one.currency}`).join(', '),
        ]),
      );
    });

  pools
    .command('save <id>')
    .description('Create an empty pool, or change its spread and fee; existing quotes keep theirs')
    .requiredOption('--partner <id>', 'the partner')
    .requiredOption('--asset <symbol>', 'the asset that is bought, such as USDC', upperCase)
    .requiredOption('--network <name>', 'the network it is sent on, such as base', lowerCase)
    .requiredOption('--currency <symbol>', 'the currency that is paid, such as EUR', upperCase)
    .requiredOption('--spread-bps <n>', 'in basis points (hundredths of a percent)', readBps)
    .requiredOption('--fee-bps <n>', 'in basis points (hundredths of a percent)', readBps)
    .action(async (id: string, { partner, asset, network, currency, spreadBps, feeBps }: Terms) => {
      const pool = { id, asset, network, currency, spreadBps, feeBps };
      await administer(partner, (admin) => admin.savePool(partner, pool));
      printResult(pool);
      print(`${id} is saved.`);
    });

  pools
    .command('fund <id>')
    .description(
      'Add money to a pool, or withdraw available money. Each reference is applied once, so the command is safe to repeat',
    )
    .requiredOption('--partner <id>', 'the partner')
    .requiredOption('--currency <symbol>', 'one of the two currencies of the pool')
    .requiredOption('--amount <amount>', 'a decimal number; negative to withdraw (--amount=-5)')
    .requiredOption('--reference <text>', 'a unique name of this movement, such as the reference of the bank transfer')
    .action(async (poolId: string, { partner, currency: given, amount, reference }: Movement) => {
      const { moved, movement } = await administer(partner, async (admin) => {
        const pool = (await admin.listPools(partner)).find(({ id }) => id === poolId);
        const known = [pool?.asset, pool?.currency].find((code) => code !== undefined && isSameCode(code, given));
        const order = { poolId, currency: known ?? given, amount, reference };
        return { moved: await admin.movePoolBalance(partner, order), movement: order };
      });
      const { currency } = movement;
      if (moved === 'insufficient')
        throw new CommandError(`${poolId} has less than this amount available in ${currency}; nothing was moved.`);
      if (moved === 'other_amount')
        throw new CommandError(
          `"${reference}" was already used for a different amount of ${currency}; nothing was moved. Use a new reference for a new movement.`,
        );
      printResult({ ...movement, outcome: moved });
      print(moved === 'moved' ? 'Moved.' : `"${reference}" was already recorded; nothing was changed.`);
    });

  pools
    .command('access')
    .description('Allow or suspend trading of a partner in all its pools')
    .requiredOption('--partner <id>', 'the partner')
    .addOption(new Option('--status <status>').choices(['active', 'suspended']).default('active'))
    .addOption(new Option('--kyc <state>').choices(['approved', 'pending']).default('approved'))
    .action(async ({ partner, status, kyc }: Access) => {
      await administer(partner, (admin) => admin.setPoolsAccess(partner, { status, kyc }));
      printResult({ partnerId: partner, status, kyc });
      print(`${partner} is ${status}; its company verification is ${kyc}.`);
    });
}

type Administer = Parameters<Parameters<typeof withDatabase>[0]>[0]['admin'];

function administer<Result>(partner: string, work: (admin: Administer) => Promise<Result>): Promise<Result> {
  return withDatabase(async ({ admin, store }) => {
    await partnerNamed(store, partner);
    return work(admin);
  });
}

const upperCase = (text: string): string => text.toUpperCase();
const lowerCase = (text: string): string => text.toLowerCase();

function readBps(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('Pass a whole number of basis points.');
  return Number(text);
}
