import { InvalidArgumentError, Option, type Command } from 'commander';
import { partnerNamed, withDatabase } from './administration.js';
import { CommandFault } from './command-fault.js';
import { print, printTable } from './print.js';

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

/** Pools are live only, so no command asks for a mode. */
export function addPoolCommands(gate: Command): void {
  const pools = gate.command('pools').description("A partner's pools, and the money in them");

  pools
    .command('list')
    .requiredOption('--partner <id>', 'whose pools')
    .action(async ({ partner }: { partner: string }) => {
      const all = await withDatabase(async ({ admin, store }) => {
        await partnerNamed(store, partner);
        return admin.listPools(partner);
      });
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
    .description('Make a pool, empty, or change its spread and fee; quotes that were given keep theirs')
    .requiredOption('--partner <id>', 'whose')
    .requiredOption('--asset <symbol>', 'what is bought of it, such as USDC')
    .requiredOption('--network <name>', 'where that is sent, such as base')
    .requiredOption('--currency <symbol>', 'what it is paid with, such as EUR')
    .requiredOption('--spread-bps <n>', 'in hundredths of a percent', readBps)
    .requiredOption('--fee-bps <n>', 'in hundredths of a percent', readBps)
    .action(async (id: string, { partner, ...terms }: Terms) => {
      await administer(partner, (admin) => admin.savePool(partner, { id, ...terms }));
      print(`${id} is saved.`);
    });

  pools
    .command('fund <id>')
    .description(
      'Put money into a pool, or take available money out. A reference counts once, so this is safe to repeat',
    )
    .requiredOption('--partner <id>', 'whose')
    .requiredOption('--currency <symbol>', 'one of the two that the pool holds')
    .requiredOption('--amount <amount>', 'a decimal number; what is taken out has a minus before it')
    .requiredOption('--reference <text>', 'names this movement, such as that of the bank transfer')
    .action(async (poolId: string, { partner, ...movement }: Movement) => {
      const moved = await administer(partner, (admin) => admin.movePoolBalance(partner, { poolId, ...movement }));
      if (moved === 'insufficient')
        throw new CommandFault(`${poolId} has less than that available in ${movement.currency}; nothing was moved.`);
      if (moved === 'other_amount')
        throw new CommandFault(
          `"${movement.reference}" has moved another amount of ${movement.currency} before; nothing was moved. Another movement needs a reference of its own.`,
        );
      print(moved === 'moved' ? 'Moved.' : `"${movement.reference}" was moved before; nothing has changed.`);
    });

  pools
    .command('access')
    .description('Let a partner trade, or keep it from it, whatever pools it has')
    .requiredOption('--partner <id>', 'whose')
    .addOption(new Option('--status <status>').choices(['active', 'suspended']).default('active'))
    .addOption(new Option('--kyc <state>').choices(['approved', 'pending']).default('approved'))
    .action(async ({ partner, ...access }: Access) => {
      await administer(partner, (admin) => admin.setPoolsAccess(partner, access));
      print(`${partner} is ${access.status}; its company is ${access.kyc}.`);
    });
}

type Administer = Parameters<Parameters<typeof withDatabase>[0]>[0]['admin'];

function administer<Result>(partner: string, work: (admin: Administer) => Promise<Result>): Promise<Result> {
  return withDatabase(async ({ admin, store }) => {
    await partnerNamed(store, partner);
    return work(admin);
  });
}

function readBps(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('It is a whole number of basis points.');
  return Number(text);
}
