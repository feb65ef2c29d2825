import type { ArrivedAtAddress } from '@gateramp/adapters-chain-evm';
import { decimal, isSameCode } from '@gateramp/core/domain';
import {
  creditHeld,
  depositKey,
  findOperation,
  isUnwatched,
  returnHeld,
  unbooked,
  type Deposit,
  type HeldOrder,
  type HeldResult,
  type LegsStore,
  type OperationView,
} from '@gateramp/provider-legs';
import type { Command } from 'commander';
import { cliLegsOfProcess } from '../config/cli-config.js';
import { openLegs, type OpenLegs } from '../legs/open-legs.js';
import { withDatabase } from './administration.js';
import { CommandError } from './command-error.js';
import { confirm, YES_OPTION, type ChangeOptions, type Confirmation } from './confirm.js';
import { readLimit, readReason } from './options.js';
import { moment, print, printResult, printNote, printTable } from './print.js';

interface ListOptions {
  readonly held?: boolean;
  readonly limit: number;
}

interface CreditOptions extends ChangeOptions, Confirmation {
  readonly asset?: string;
  readonly reason: string;
}

interface ReturnOptions extends CreditOptions {
  readonly amount?: string;
  readonly to?: string;
}

/** What arrived at the deposit addresses, and what only an operator attributes or returns. */
export function addDepositCommands(deposits: Command): void {
  deposits
    .command('list')
    .description('List deposit addresses with what arrived, and what no operation booked')
    .option('--held', 'only amounts that wait for an operator')
    .option('--limit <n>', 'maximum number of rows', readLimit, 100)
    .action(async ({ held = false, limit }: ListOptions) => {
      const all = await arrivedRows();
      const wanted = held ? all.filter((row) => decimal.isPositive(row.held)) : all;
      const found = wanted.slice(0, limit);
      if (wanted.length > limit) printNote(`There are more than ${limit}. Pass a higher --limit.`);
      printResult(found);
      printTable(
        [
          'ADDRESS',
          'NETWORK',
          'ASSET',
          'ARRIVED',
          'CREDITED',
          'RETURNED',
          'UNATTRIBUTED',
          'HELD',
          'OPERATION',
          'STATUS',
        ],
        found.map((row) => [
          row.address,
          row.network,
          row.asset,
          row.arrived,
          row.credited,
          row.returned,
          row.unattributed,
          row.held,
          row.operation_id,
          row.status ?? '-',
        ]),
      );
    });

  withDecision(deposits.command('credit <address>'))
    .description(
      'Credit what arrived and is not booked yet to the operation of the address, which accepts or returns it',
    )
    .option('--asset <asset>', 'only this asset')
    .action((address: string, { asset, reason, ...options }: CreditOptions) =>
      decide(address, { action: 'deposit.credit', reason, asset, ...options }, ({ store, order, dryRun, sum }) => ({
        consequence: `${sum} will be credited to operation ${order.operationId}.`,
        run: ({ isDryRun }) => creditHeld(store, { ...order, isDryRun: isDryRun || dryRun }),
      })),
    );

  withDecision(deposits.command('return <address>'))
    .description(
      'Send what arrived and is not booked yet back from the hot wallet, and book it to the operation of the address',
    )
    .option('--asset <asset>', 'the asset; required if several arrived')
    .option('--amount <amount>', 'send this amount and book the rest as a fee; everything by default')
    .option('--to <address>', 'the receiver; the refund address of the operation by default')
    .action((address: string, { asset, reason, amount, to, ...options }: ReturnOptions) =>
      decide(
        address,
        { action: 'deposit.return', reason, asset, ...options },
        ({ store, order, dryRun, sum, held, chain, operation }) => {
          const [first, ...others] = new Set(held.map((one) => one.asset));
          if (first === undefined || others.length > 0)
            throw new CommandError(`Several assets arrived: ${sum}. Pass --asset.`);
          const network = held[0]?.network ?? '';
          const decimals = decimalsOf(chain, { network, asset: first });
          if (amount !== undefined && !isPayable(amount, decimals))
            throw new CommandError(`Pass --amount above zero, with at most ${decimals} decimals.`);
          const receiver = to ?? operation.refundAddress;
          if (receiver === null) throw new CommandError('The operation has no refund address. Pass --to.');
          const problem = chain.addressProblem(network, receiver);
          if (problem !== null) throw new CommandError(problem);
          return {
            consequence: `${amount === undefined ? sum : `${amount} ${first} of ${sum}`} will be sent to ${receiver}.`,
            run: ({ isDryRun }) =>
              returnHeld(store, {
                ...order,
                asset: first,
                amount: amount ?? null,
                to: to ?? null,
                isDryRun: isDryRun || dryRun,
              }),
          };
        },
      ),
    );
}

function decimalsOf(
  chain: OpenLegs['chain'],
  { network, asset }: { readonly network: string; readonly asset: string },
): number {
  const assets = chain.networks.find((one) => one.network === network)?.assets ?? [];
  return assets.find((one) => one.asset === asset)?.decimals ?? 0;
}

function isPayable(amount: string, decimals: number): boolean {
  const [, fraction = ''] = /^\d{1,30}(?:\.(\d{1,36}))?$/.exec(amount) ?? [null, null];
  return fraction !== null && fraction.length <= decimals && /[1-9]/.test(amount);
}

/** What arrived at the deposit addresses, by address and asset. */
export function arrivedRows() {
  return withArrived(async ({ arrived, store, nowOf }) => {
    const rows = await Promise.all(
      arrived.filter(hasArrived).map(async (at) => {
        const operation = await findOperation(store, operationIdOf(at.callId));
        return rowsOf(at, operation, operation === null ? 0 : nowOf(operation));
      }),
    );
    return rows.flat();
  });
}

function withDecision(command: Command): Command {
  return command
    .requiredOption('--reason <text>', 'reason, for the record', readReason)
    .option('--dry-run', 'print what would be done without doing it')
    .option(...YES_OPTION);
}

interface Arrived {
  readonly chain: OpenLegs['chain'];
  readonly store: LegsStore;
  readonly arrived: readonly ArrivedAtAddress[];
  readonly nowOf: (operation: OperationView) => number;
  readonly audit: (operation: OperationView, action: string, address: string) => NonNullable<HeldOrder['audited']>;
}

function withArrived<Result>(work: (arrived: Arrived) => Promise<Result>): Promise<Result> {
  const config = cliLegsOfProcess();
  return withDatabase(async ({ admin, legsStore: store, clock }) => {
    const { chain } = openLegs(config, { store, alarm: () => undefined, onError: () => undefined });
    return work({
      chain,
      store,
      arrived: await chain.arrivedDeposits(),
      nowOf: (operation) => clock.now(operation),
      audit:
        ({ partnerId, mode }, action, address) =>
        (rows, commit) =>
          admin.audit.recordWith(
            { action, target: { type: 'deposit_address', id: address }, partnerId, mode, ...rows },
            commit,
          ),
    });
  });
}

interface Decision extends ChangeOptions, Confirmation {
  readonly action: string;
  readonly reason: string;
  readonly asset: string | undefined;
}

interface Planned {
  readonly chain: OpenLegs['chain'];
  readonly store: LegsStore;
  readonly operation: OperationView;
  readonly order: HeldOrder;
  /** The deposits that the decision is about, and their sum in words. */
  readonly held: readonly Deposit[];
  readonly sum: string;
  readonly dryRun: boolean;
}

interface Plan {
  readonly consequence: string;
  readonly run: (options: { readonly isDryRun: boolean }) => Promise<HeldResult | { readonly kind: 'too_much' }>;
}

async function decide(
  address: string,
  { action, asset, dryRun = false, yes }: Decision,
  plan: (planned: Planned) => Plan,
): Promise<void> {
  await withArrived(async ({ chain, store, arrived, nowOf, audit }) => {
    const found = arrived.find((one) => one.address.toLowerCase() === address.toLowerCase());
    if (found === undefined) throw new CommandError(`No such deposit address: "${address}". Run: gate deposits list`);
    const operationId = operationIdOf(found.callId);
    const operation = await findOperation(store, operationId);
    if (operation === null) throw new CommandError(`${found.address} belongs to no operation.`);
    const isAsked = (one: { readonly asset: string }) => asset === undefined || isSameCode(one.asset, asset);
    const now = nowOf(operation);
    const call = { callId: found.callId, mode: operation.mode, now, network: found.network };
    const assets = found.unattributed.filter(isAsked).map((one) => one.asset);
    const attributed = await chain.attributedDeposits(call, assets);
    const booked = found.deposits.filter(isAsked);
    const held = [...unbooked(operation, booked), ...attributed.deposits];
    if (held.length === 0)
      throw new CommandError(`Everything that arrived at ${found.address} is credited to ${operationId}.`);
    const { documents, deposits } = attributed;
    const order = {
      operationId,
      deposits: booked,
      attributed: deposits,
      documents,
      now,
      audited: audit(operation, action, found.address),
    };
    const sum = sumOf(held);
    const { consequence, run } = plan({ chain, store, operation, order, held, sum, dryRun });
    explain(await run({ isDryRun: true }), operationId);
    if (!dryRun) {
      await confirm(consequence, yes === undefined ? {} : { yes });
      explain(await run({ isDryRun: false }), operationId);
    }
    const shown = {
      address: found.address,
      network: found.network,
      operation_id: operationId,
      deposits: held.map(({ hash, index, asset: name, amount }) => ({
        key: depositKey({ hash, index }),
        asset: name,
        amount,
      })),
      is_dry_run: dryRun,
    };
    printResult(shown);
    print(
      dryRun
        ? consequence
        : `${consequence.replace(' will be ', ' is being ')} Follow it with: gate operations show ${operationId}`,
    );
    if (dryRun) printNote('Nothing was changed.');
  });
}

function explain(result: HeldResult | { readonly kind: 'too_much' }, id: string): void {
  if (result.kind === 'changed') return;
  if (result.kind === 'not_ended') {
    const isStuck = result.operation.state.kind === 'stuck';
    throw new CommandError(
      isStuck
        ? `Operation ${id} is stuck. Run: gate operations resolve ${id}`
        : `Operation ${id} is still running. It accepts or returns its deposits itself.`,
    );
  }
  if (result.kind === 'too_much') throw new CommandError('The amount is more than what is held.');
  throw new CommandError(`Operation ${id} has changed in the meantime. Run: gate deposits list`);
}

/** The call of a deposit address is `<operation>-deposit`. */
const operationIdOf = (callId: string) => callId.slice(0, callId.lastIndexOf('-'));

const hasArrived = ({ deposits, unattributed }: ArrivedAtAddress) => deposits.length > 0 || unattributed.length > 0;

function rowsOf(at: ArrivedAtAddress, operation: OperationView | null, now: number) {
  const confirmed = at.deposits.filter(({ seen, required }) => seen >= required);
  const assets = new Set([...confirmed, ...at.unattributed].map(({ asset }) => asset));
  const open = operation === null ? confirmed : unbooked(operation, confirmed);
  const isLeft = operation === null || isUnwatched(operation, now);
  return [...assets].toSorted().map((asset) => {
    const ofAsset = (amounts: readonly { readonly asset: string; readonly amount: string }[]) =>
      total(amounts.filter((one) => one.asset === asset));
    const found = ofAsset(at.unattributed);
    const unattributed = decimal.add(ofAsset(open), found);
    const returned = operation?.returns.filter(
      ({ status, network }) => status === 'returned' && network === at.network,
    );
    return {
      address: at.address,
      network: at.network,
      asset,
      arrived: decimal.add(ofAsset(confirmed), found),
      credited: decimal.subtract(ofAsset(confirmed), ofAsset(open)),
      returned: ofAsset(returned ?? []),
      unattributed,
      // What is not booked yet is booked soon while the operation looks for deposits.
      held: isLeft ? unattributed : found,
      operation_id: operationIdOf(at.callId),
      mode: operation?.mode ?? null,
      status: operation === null ? null : operation.state.kind === 'ended' ? operation.state.as : operation.state.kind,
      created_at: moment(at.createdAt),
    };
  });
}

const total = (amounts: readonly { readonly amount: string }[]) =>
  amounts.reduce((sum, { amount }) => decimal.add(sum, amount), '0');

function sumOf(held: readonly Deposit[]): string {
  const assets = [...new Set(held.map(({ asset }) => asset))];
  return assets.map((asset) => `${total(held.filter((one) => one.asset === asset))} ${asset}`).join(' and ');
}
