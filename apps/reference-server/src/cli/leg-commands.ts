import { isSameCode } from '@gateramp/core/domain';
import { RpcOutageError, UnexplainedNonceError, type WalletSummary } from '@gateramp/adapters-chain-evm';
import type { Administration, Mode } from '@gateramp/core';
import {
  findOperation,
  listOperations,
  resolveOperation,
  type AuditedCommit,
  type LegsStore,
  type Operation,
  type OperationView,
  type Resolution,
} from '@gateramp/provider-legs';
import { Option, type Command } from 'commander';
import { cliLegsOfProcess } from '../config/cli-config.js';
import { openLegs, type OpenLegs } from '../legs/open-legs.js';
import { withDatabase } from './administration.js';
import { CommandError } from './command-error.js';
import { addDepositCommands } from './deposit-commands.js';
import { confirm, withChangeOptions, YES_OPTION, type ChangeOptions, type Confirmation } from './confirm.js';
import { readLimit, readMode, readReason } from './options.js';
import { moment, print, printResult, printNote, printTable } from './print.js';

/** Operations of the provider legs, their deposits, and their hot wallets. */
export function addLegCommands(gate: Command): void {
  addOperationCommands(
    gate.command('operations').description('Inspect operations of provider legs and resolve stuck ones'),
  );
  addDepositCommands(
    gate
      .command('deposits')
      .description(
        "Inspect, credit and return what arrived at deposit addresses. Requires the server's GATE_LEGS_FILE",
      ),
  );
  addWalletCommands(
    gate
      .command('wallets')
      .description("Inspect, pause and resume the hot wallet. Requires the server's GATE_LEGS_FILE"),
  );
}

interface ListOptions {
  readonly mode?: Mode;
  readonly stuck?: boolean;
  readonly limit: number;
}

interface ResolveOptions extends Confirmation {
  readonly as: Resolution['as'];
  readonly reason: string;
  readonly dryRun?: boolean;
}

function addOperationCommands(operations: Command): void {
  operations
    .command('list')
    .description('List operations by id')
    .option('--stuck', 'only operations that wait for an operator')
    .option('--mode <test|live>', 'only operations of this mode', readMode)
    .option('--limit <n>', 'maximum per mode', readLimit, 100)
    .action(async ({ mode, stuck = false, limit }: ListOptions) => {
      const query = { isStuck: stuck, after: null, limit: limit + 1 };
      const modes: readonly Mode[] = mode === undefined ? ['test', 'live'] : [mode];
      const pages = await withDatabase(({ legsStore }) =>
        Promise.all(modes.map((one) => listOperations(legsStore, { ...query, mode: one }))),
      );
      const found = pages.flatMap((page) => page.slice(0, limit));
      if (pages.some((page) => page.length > limit)) printNote(`There are more than ${limit}. Pass a higher --limit.`);
      printResult(found.map(summaryOf));
      printTable(
        ['ID', 'MODE', 'FLOW', 'STATUS', 'STEP', 'REASON', 'UPDATED'],
        found
          .map(summaryOf)
          .map((one) => [one.id, one.mode, one.flow, one.status, one.step ?? '-', one.reason ?? '-', one.updated_at]),
      );
    });

  operations
    .command('show <id>')
    .description('Show an operation, the amount owed to the buyer, and every movement of money')
    .action(async (id: string) => {
      const found = await withDatabase(({ legsStore }) => operationNamed(legsStore, id));
      printResult({
        ...summaryOf(found),
        owed: found.owed,
        entries: found.entries.map(({ id: entry, at, postings }) => ({ id: entry, at: moment(at), postings })),
      });
      printOperation(found);
    });

  operations
    .command('resolve <id>')
    .description('Record the outcome of a stuck operation. This moves no money')
    .addOption(
      new Option('--as <ending>', 'how it ended').choices(['delivered', 'refunded', 'failed']).makeOptionMandatory(),
    )
    .requiredOption('--reason <text>', 'reason, for the record', readReason)
    .option('--dry-run', 'print what would be booked without booking it')
    .option(...YES_OPTION)
    .action(async (id: string, { as, reason, dryRun = false, yes }: ResolveOptions) => {
      await withDatabase(async ({ admin, legsStore, clock }) => {
        const found = await operationNamed(legsStore, id);
        const order = { operationId: id, as, reason, now: clock.now(found) };
        const planned = await resolveOperation(legsStore, { ...order, isDryRun: true });
        if (planned.kind !== 'resolved')
          throw new CommandError(`Operation ${id} is ${statusOf(found)}; only a stuck one can be resolved.`);
        const postings = planned.entry?.postings ?? [];
        for (const { account, currency, amount } of postings) print(`${account}  ${amount} ${currency}`);
        const shown = { ...summaryOf(planned.operation), postings, is_dry_run: dryRun };
        if (dryRun) {
          printResult(shown);
          return printNote('Nothing was changed.');
        }
        await confirm(
          `${id} will end as ${as}, which the buyer and the partner can see.`,
          yes === undefined ? {} : { yes },
        );
        const { partnerId, mode } = found;
        const entry = { action: 'operation.resolve', target: { type: 'operation', id }, partnerId, mode };
        const done = await resolveOperation(legsStore, {
          ...order,
          audited: (rows, commit) => admin.audit.recordWith({ ...entry, ...rows }, commit),
        });
        if (done.kind !== 'resolved')
          throw new CommandError(`Operation ${id} has changed in the meantime. Run: gate operations show ${id}`);
        printResult({ ...shown, ...summaryOf(done.operation) });
        print(`${id} has ended as ${as}.`);
      });
    });
}

function addWalletCommands(wallets: Command): void {
  wallets
    .command('list')
    .description('List the hot wallet of each network with its state, its balances, and the amounts sent today')
    .action(async () => {
      const found = await withChain(async (chain) => {
        const [wallets, gauges] = await Promise.all([chain.wallets(), chain.gauges()]);
        const balances = new Map(gauges.map((gauge) => [gauge.network, gauge.isUp ? gauge.balances : null]));
        return wallets.map((wallet) => ({ ...walletOf(wallet), balances: balances.get(wallet.network) ?? null }));
      });
      printResult(found);
      printTable(
        ['NETWORK', 'ADDRESS', 'STATUS', 'BALANCES', 'NEXT NONCE', 'SENT TODAY', 'REASON'],
        found.map((one) => [
          one.network,
          one.address,
          one.status,
          one.balances === null ? 'unknown' : amountsText(one.balances),
          one.next_nonce === null ? '-' : String(one.next_nonce),
          amountsText(one.sent_today),
          one.paused_because ?? '-',
        ]),
      );
      const silent = found.filter(({ balances }) => balances === null).map(({ network }) => network);
      if (silent.length > 0) printNote(`No balances: the RPC of ${silent.join(', ')} does not answer.`);
    });

  wallets
    .command('history <network>')
    .description('List every pause and resumption of the wallet on a network, with its reason')
    .action(async (name: string) => {
      const found = await withChain(async (chain) => {
        const network = networkNamed(chain, name);
        return (await chain.wallets()).find((one) => one.network === network)?.history ?? [];
      });
      const shown = found.map(({ at, ...change }) => ({ at: moment(at), ...change }));
      printResult(shown);
      printTable(
        ['AT', 'STATUS', 'BY', 'REASON'],
        shown.map(({ at, to, by, reason }) => [at, to, by, reason]),
      );
    });

  withChangeOptions(wallets.command('pause <network>'))
    .description('Stop signing on a network and refuse new purchases. Signed transactions are still followed')
    .requiredOption('--reason <text>', 'reason, for the record', readReason)
    .action((name: string, options: WalletOptions) =>
      changeWallet(name, 'wallet.pause', options, (chain, network, audited) =>
        chain.pauseWallet(network, options.reason, audited),
      ),
    );

  withChangeOptions(wallets.command('resume <network>'))
    .description('Resume signing on a network. Waiting sends are signed first')
    .requiredOption('--reason <text>', 'reason, for the record', readReason)
    .action((name: string, options: WalletOptions) =>
      changeWallet(name, 'wallet.resume', options, (chain, network, audited) =>
        chain.resumeWallet(network, options.reason, audited).catch((error: unknown) => {
          if (error instanceof UnexplainedNonceError)
            throw new CommandError(`${error.message} The wallet is still paused.`);
          if (!(error instanceof RpcOutageError)) throw error;
          throw new CommandError(
            `${network} does not answer, so the next nonce of the wallet cannot be read. The wallet is still paused.`,
          );
        }),
      ),
    );
}

interface WalletOptions extends ChangeOptions {
  readonly reason: string;
}

async function changeWallet(
  name: string,
  action: string,
  { dryRun = false }: WalletOptions,
  change: (chain: OpenLegs['chain'], network: string, audited: AuditedCommit) => Promise<unknown>,
): Promise<void> {
  const { network, wallet } = await withChain(async (chain, admin) => {
    const network = networkNamed(chain, name);
    const entry = { action, target: { type: 'wallet', id: network }, partnerId: null, mode: null };
    if (!dryRun) await change(chain, network, (rows, commit) => admin.audit.recordWith({ ...entry, ...rows }, commit));
    return { network, wallet: (await chain.wallets()).find((one) => one.network === network) };
  });
  printResult(wallet === undefined ? null : { ...walletOf(wallet), is_dry_run: dryRun });
  print(`The wallet on ${network} is ${wallet?.status ?? 'unknown'}.`);
  if (dryRun) printNote('Nothing was changed.');
}

function amountsText(amounts: Readonly<Record<string, string>>): string {
  return (
    Object.entries(amounts)
      .map(([asset, amount]) => `${amount} ${asset}`)
      .join(', ') || '-'
  );
}

function withChain<Result>(
  work: (chain: OpenLegs['chain'], admin: Administration) => Promise<Result>,
): Promise<Result> {
  const config = cliLegsOfProcess();
  return withDatabase(({ admin, legsStore: store }) =>
    work(openLegs(config, { store, alarm: () => undefined, onError: () => undefined }).chain, admin),
  );
}

function walletOf({ network, address, status, nextNonce, spentToday, pausedBecause, history }: WalletSummary) {
  return {
    network,
    address,
    status,
    next_nonce: nextNonce,
    sent_today: spentToday,
    paused_because: pausedBecause,
    history: history.map(({ at, ...change }) => ({ at: moment(at), ...change })),
  };
}

function networkNamed(chain: OpenLegs['chain'], name: string): string {
  const names = chain.networks.map(({ network }) => network);
  const named = names.find((one) => isSameCode(one, name));
  if (named === undefined)
    throw new CommandError(`No such network: "${name}". GATE_LEGS_FILE has ${names.join(', ')}.`);
  return named;
}

async function operationNamed(store: LegsStore, id: string): Promise<OperationView> {
  const found = await findOperation(store, id);
  if (found === null) throw new CommandError(`No such operation: "${id}". List operations with: gate operations list`);
  return found;
}

/** An operation as lists and `gate show` print it. */
export function summaryOf(operation: Operation) {
  const { operationId: id, mode, partnerId, flow, state, failure, resolution, price, createdAt, updatedAt } = operation;
  const { disputes, returns } = operation;
  return {
    id,
    mode,
    partner_id: partnerId,
    flow,
    status: statusOf(operation),
    step: state.kind === 'ended' ? null : state.step,
    reason: state.kind === 'stuck' ? state.reason : (failure?.code ?? null),
    source: price?.source ?? null,
    destination: price?.destination ?? null,
    disputes: disputes.map(({ id: dispute, amount, status }) => ({ id: dispute, amount, status })),
    returns: returns.map(({ asset, network, amount, fee, status }) => ({ asset, network, amount, fee, status })),
    resolution: resolution === null ? null : { ...resolution, at: moment(resolution.at) },
    created_at: moment(createdAt),
    updated_at: moment(updatedAt),
  };
}

function statusOf({ state }: Operation): string {
  if (state.kind === 'ended') return state.as;
  return state.kind === 'calling' ? 'running' : state.kind;
}

function printOperation(operation: OperationView): void {
  const { id, status, step, reason, source, destination, resolution, ...rest } = summaryOf(operation);
  print(`Operation   ${id}`);
  print(`Partner     ${rest.partner_id} (${rest.mode})`);
  print(`Flow        ${rest.flow}`);
  print(`Status      ${[status, step, reason].filter((part) => part !== null).join(', ')}`);
  if (source !== null) print(`Source      ${source.amount} ${source.currency}`);
  if (destination !== null) print(`Destination ${destination.amount} ${destination.currency}`);
  if (resolution !== null) print(`Resolved    as ${resolution.as} at ${resolution.at}: ${resolution.reason}`);
  print(`Created     ${rest.created_at}`);
  print(`Updated     ${rest.updated_at}`);
  for (const dispute of rest.disputes)
    print(`Dispute     ${dispute.id}, ${dispute.amount} ${source?.currency ?? ''}, ${dispute.status}`);
  for (const { asset, network, amount, fee, status: returned } of rest.returns)
    print(`Return      ${amount} ${asset}@${network}, ${returned}${fee === '0' ? '' : `, ${fee} kept as a fee`}`);
  for (const { amount, currency } of operation.owed) print(`Owed        ${amount} ${currency}`);
  for (const { id: entry, at, postings } of operation.entries) {
    print(`${moment(at)}  ${entry}`);
    for (const { account, amount, currency } of postings) print(`  ${account}  ${amount} ${currency}`);
  }
}
