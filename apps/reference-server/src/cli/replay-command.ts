import type { Administration, Mode } from '@gateramp/core';
import { MODES } from '@gateramp/core/domain';
import type { Command } from 'commander';
import { partnerNamed, withDatabase, type CommandContext } from './administration.js';
import { CommandError } from './command-error.js';
import { confirm, YES_OPTION, type Confirmation } from './confirm.js';
import { collect, readLimit, readMode, readPast, type Moment } from './options.js';
import { moment, print, printResult, printNote } from './print.js';

type ReplayOrder = NonNullable<Parameters<Administration['replayDeliveries']>[1]>;
type ReplayCounts = Awaited<ReturnType<Administration['replayDeliveries']>>;

interface Given extends Confirmation {
  readonly partner: string;
  readonly mode?: Mode;
  readonly type?: readonly string[];
  readonly from?: Moment;
  readonly to?: Moment;
  readonly deadBefore?: Moment;
  readonly perSecond: number;
  readonly dryRun?: boolean;
}

/** Sends dead-lettered webhooks of a partner again. */
export function addReplayCommand(gate: Command): void {
  gate
    .command('replay')
    .description(
      'Replay dead-lettered webhooks of a partner with the same events and bytes. New events are not delayed. If interrupted, run it again',
    )
    .requiredOption('--partner <id>', 'the partner')
    .option('--mode <test|live>', 'only this mode', readMode)
    .option('--type <type>', 'only events of this type; repeatable', collect)
    .option(
      '--from <time>',
      'only those created since this time: "24h" for 24 hours ago, or a time such as 2030-01-31T00:00:00Z',
      readPast,
    )
    .option('--to <time>', 'only those created before this time', readPast)
    .option(
      '--dead-before <time>',
      'only those dead-lettered before this time (default: the start of the command)',
      readPast,
    )
    .option('--per-second <n>', 'how many to queue per second, at most 500', readLimit, 50)
    .option('--dry-run', 'print how many of each type would be sent without sending them')
    .option(...YES_OPTION)
    .action(async (given: Given) => {
      const done = await withDatabase((context) => replay(context, given));
      printResult(done);
      const isEmpty = done.every(({ total }) => total === 0);
      if (isEmpty) return printNote('There is nothing to replay.');
      if (given.dryRun !== true) print(`Queued: ${done.map(describe).join('; ')}.`);
    });
}

interface Replayed {
  readonly partnerId: string;
  readonly mode: Mode;
  readonly deadBefore: string;
  readonly isDryRun: boolean;
  readonly total: number;
  readonly byType: ReplayCounts;
}

async function replay(context: CommandContext, given: Given): Promise<readonly Replayed[]> {
  const { admin, store } = context;
  const partner = await partnerNamed(store, given.partner);
  const plans: Plan[] = [];
  for (const mode of given.mode === undefined ? MODES : [given.mode]) {
    const endpoint = await admin.findEndpoint({ partnerId: partner.id, mode });
    if (endpoint?.url) plans.push(await planOf(context, given, mode));
  }
  if (plans.length === 0) throw new CommandError(`${partner.id} has no webhook URL. Set one with: gate endpoints set`);
  const planned = plans.map(({ replayed }) => replayed);
  for (const one of planned.filter(({ total }) => total > 0)) print(`${partner.name}, ${describe(one)}`);
  if (given.dryRun === true || planned.every(({ total }) => total === 0)) {
    if (planned.some(({ total }) => total > 0)) printNote('Nothing was changed.');
    return planned;
  }
  await confirm(`These webhooks will be sent to ${partner.id} again.`, given);
  const done: Replayed[] = [];
  for (const { scope, order, replayed } of plans.filter(({ replayed: { total } }) => total > 0)) {
    printNote(`If this is interrupted, run it again with --dead-before ${replayed.deadBefore} to queue only the rest.`);
    const onProgress = (counts: ReplayCounts): void =>
      printNote(`${scope.mode}: ${sum(counts)} of ${replayed.total} queued`);
    const byType = await admin.replayDeliveries(scope, { ...order, onProgress });
    done.push({ ...replayed, isDryRun: false, total: sum(byType), byType });
  }
  return done;
}

interface Plan {
  readonly scope: { readonly partnerId: string; readonly mode: Mode };
  readonly order: ReplayOrder;
  readonly replayed: Replayed;
}

async function planOf({ admin, clock }: CommandContext, given: Given, mode: Mode): Promise<Plan> {
  const scope = { partnerId: given.partner, mode };
  const now = clock.now(scope);
  const deadBefore = given.deadBefore?.(now) ?? now + 1;
  const order: ReplayOrder = {
    deadBefore,
    perSecond: given.perSecond,
    // The engine refuses types that it does not know.
    ...(given.type === undefined ? {} : { eventTypes: given.type as NonNullable<ReplayOrder['eventTypes']> }),
    ...(given.from === undefined ? {} : { createdAfter: given.from(now) }),
    ...(given.to === undefined ? {} : { createdBefore: given.to(now) }),
  };
  const byType = await admin.replayDeliveries(scope, { ...order, isDryRun: true });
  const total = sum(byType);
  return { scope, order, replayed: { ...scope, deadBefore: moment(deadBefore), isDryRun: true, total, byType } };
}

function describe({ mode, total, byType }: Replayed): string {
  const types = Object.entries(byType).map(([type, count]) => `${type} ${count}`);
  return `${mode} mode: ${total} (${types.join(', ')})`;
}

function sum(counts: ReplayCounts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
