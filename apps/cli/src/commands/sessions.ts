import { type Command } from 'commander';
import { wholeNumber } from '../numbers.js';
import { printOne, printRows } from '../print.js';
import { serviceOf, withService, type ServiceOptions } from '../service.js';
import { take } from '../take.js';
import { type Terminal } from '../terminal.js';

interface ListOptions extends ServiceOptions {
  readonly limit: string;
  readonly status?: string;
  readonly reference?: string;
}

const HELP = `
Examples:
  $ gateramp sessions list --status open
  $ gateramp sessions timeline 68a1f0c2b7e94d1f3a5c7e90
  $ gateramp sessions list --json | jq -r .id`;

export function addSessions(gateramp: Command, terminal: Terminal): void {
  const sessions = gateramp
    .command('sessions')
    .description('list, inspect and cancel checkout sessions')
    .addHelpText('after', HELP);

  withService(sessions.command('list'))
    .description('list sessions, newest first')
    .option('--limit <n>', 'maximum number', '20')
    .option('--status <status>', 'open, completed, expired or cancelled')
    .option('--reference <text>', 'filter by user_reference')
    .action(async (options: ListOptions) => {
      const query = { status: options.status, user_reference: options.reference, limit: 100 };
      const limit = wholeNumber('--limit', options.limit);
      const rows = await take(serviceOf(terminal, options).gateSessions.list(query), limit);
      printRows(
        rows,
        ['id', 'status', 'flow', 'amount', 'currency', 'user_reference', 'created_at'],
        options,
        terminal,
      );
    });

  withService(sessions.command('show <id>'))
    .description('show a session')
    .action(async (id: string, options: ServiceOptions) =>
      printOne(await serviceOf(terminal, options).gateSessions.retrieve(id), options, terminal),
    );

  withService(sessions.command('timeline <id>'))
    .description('show the timeline of a session, oldest first')
    .action(async (id: string, options: ServiceOptions) => {
      const { data } = await serviceOf(terminal, options).gateSessions.timeline(id);
      printRows(data, ['at', 'kind', 'summary'], options, terminal);
    });

  withService(sessions.command('cancel <id>'))
    .description('cancel an open session')
    .action(async (id: string, options: ServiceOptions) =>
      printOne(await serviceOf(terminal, options).gateSessions.cancel(id), options, terminal),
    );
}
