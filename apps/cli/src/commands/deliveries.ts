import { type Command } from 'commander';
import { UsageError } from '../exit-codes.js';
import { wholeNumber } from '../numbers.js';
import { printOne, printRows } from '../print.js';
import { serviceOf, withService, type ServiceOptions } from '../service.js';
import { take } from '../take.js';
import { type Terminal } from '../terminal.js';

interface ListOptions extends ServiceOptions {
  readonly limit: string;
  readonly status?: string;
  readonly session?: string;
  readonly event?: string;
}

interface ReplayOptions extends ServiceOptions {
  readonly all?: boolean;
  readonly session?: string;
  readonly type?: string;
}

const HELP = `
Examples:
  $ gateramp deliveries list --status dead_lettered
  $ gateramp deliveries show 68a1f0c2b7e94d1f3a5c7e90
  $ gateramp deliveries replay 68a1f0c2b7e94d1f3a5c7e90
  $ gateramp deliveries replay --all --type gate_session.completed`;

export function addDeliveries(gateramp: Command, terminal: Terminal): void {
  const deliveries = gateramp
    .command('deliveries')
    .description('list, inspect and replay webhook deliveries')
    .addHelpText('after', HELP);

  withService(deliveries.command('list'))
    .description('list deliveries, newest first')
    .option('--limit <n>', 'maximum number', '20')
    .option('--status <status>', 'pending, retrying, delivered or dead_lettered')
    .option('--session <id>', 'filter by session')
    .option('--event <id>', 'filter by event')
    .action(async (options: ListOptions) => {
      const query = { status: options.status, session_id: options.session, event_id: options.event, limit: 100 };
      const limit = wholeNumber('--limit', options.limit);
      const rows = await take(serviceOf(terminal, options).webhooks.deliveries.list(query), limit);
      const columns = ['id', 'event_type', 'status', 'attempt_count', 'last_response_status', 'last_error'] as const;
      printRows(rows, columns, options, terminal);
    });

  withService(deliveries.command('show <id>'))
    .description('show a delivery with every attempt and response')
    .action(async (id: string, options: ServiceOptions) =>
      printOne(await serviceOf(terminal, options).webhooks.deliveries.retrieve(id), options, terminal),
    );

  withService(deliveries.command('replay [id]'))
    .description('replay one dead-lettered delivery, or all of them')
    .option('--all', 'replay every matching dead-lettered delivery')
    .option('--session <id>', 'with --all: only deliveries of this session')
    .option('--type <type>', 'with --all: only deliveries of this event type')
    .action((id: string | undefined, options: ReplayOptions) => replay(id, options, terminal));
}

async function replay(id: string | undefined, options: ReplayOptions, terminal: Terminal): Promise<void> {
  const { deliveries } = serviceOf(terminal, options).webhooks;
  if ((id === undefined) === (options.all !== true)) throw new UsageError('Pass a delivery id or --all.');
  const { session: session_id, type: event_type } = options;
  const filter = session_id !== undefined ? '--session' : event_type !== undefined ? '--type' : null;
  if (id !== undefined && filter !== null) throw new UsageError(`${filter} cannot be used with a delivery id.`);
  const replayed = id === undefined ? deliveries.replayAll({ session_id, event_type }) : deliveries.replay(id);
  printOne(await replayed, options, terminal);
}
