import { type Command } from 'commander';
import { UsageFault } from '../exit-codes.js';
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
    .description('what the service has sent to your endpoint')
    .addHelpText('after', HELP);

  withService(deliveries.command('list'))
    .description('newest first')
    .option('--limit <n>', 'how many', '20')
    .option('--status <status>', 'pending, retrying, delivered or dead_lettered')
    .option('--session <id>', 'of one session')
    .option('--event <id>', 'of one event')
    .action(async (options: ListOptions) => {
      const query = { status: options.status, session_id: options.session, event_id: options.event, limit: 100 };
      const limit = wholeNumber('--limit', options.limit);
      const rows = await take(serviceOf(terminal, options).webhooks.deliveries.list(query), limit);
      const columns = ['id', 'event_type', 'status', 'attempt_count', 'last_response_status', 'last_error'] as const;
      printRows(rows, columns, options, terminal);
    });

  withService(deliveries.command('show <id>'))
    .description('one, with every attempt and what was answered')
    .action(async (id: string, options: ServiceOptions) =>
      printOne(await serviceOf(terminal, options).webhooks.deliveries.retrieve(id), options, terminal),
    );

  withService(deliveries.command('replay [id]'))
    .description('send a dead-lettered one again, or all of them')
    .option('--all', 'every dead-lettered one that fits')
    .option('--session <id>', 'with --all: of one session')
    .option('--type <type>', 'with --all: of one type of event')
    .action((id: string | undefined, options: ReplayOptions) => replay(id, options, terminal));
}

async function replay(id: string | undefined, options: ReplayOptions, terminal: Terminal): Promise<void> {
  const { deliveries } = serviceOf(terminal, options).webhooks;
  if ((id === undefined) === (options.all !== true)) throw new UsageFault('Say which one, or --all.');
  const { session: session_id, type: event_type } = options;
  const replayed = id === undefined ? deliveries.replayAll({ session_id, event_type }) : deliveries.replay(id);
  printOne(await replayed, options, terminal);
}
