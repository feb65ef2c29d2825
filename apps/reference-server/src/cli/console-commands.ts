import type { Mode } from '@gateramp/core';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { cliConsoleUrlOfProcess } from '../config-cli.js';
import { partnerNamed, withDatabase } from './administration.js';
import { readMode } from './options.js';
import { moment, print, printJson, printNote } from './print.js';

interface Invite {
  readonly partner: string;
  readonly mode: Mode;
  readonly role: 'viewer' | 'support' | 'developer' | 'admin';
  readonly user: string;
  readonly ttl: number;
  readonly url?: string;
  readonly json?: boolean;
}

/** Lets users of partners into the console. */
export function addConsoleCommands(gate: Command): void {
  const console = gate.command('console').description('Let users of partners into the console');

  console
    .command('invite')
    .description('Make a link to the console for a user of a partner. It can be opened once')
    .requiredOption('--partner <id>', 'the partner')
    .requiredOption('--mode <test|live>', 'the mode that the user sees', readMode)
    .addOption(
      new Option('--role <role>', 'what the user may do')
        .choices(['viewer', 'support', 'developer', 'admin'])
        .default('viewer'),
    )
    .option('--user <name>', 'who is invited, for the audit trail', 'invited user')
    .option('--ttl <time>', 'how long the link can be opened: 60s, 10m, at most 1h', readTtl, 60_000)
    .option(
      '--url <origin>',
      'address of the console; by default GATE_CONSOLE_URL, or GATE_CONSOLE_PORT of this machine',
    )
    .option('--json', 'print JSON')
    .action(async ({ partner, mode, role, user, ttl, url, json }: Invite) => {
      const invited = await withDatabase(async ({ door, store }) => {
        await partnerNamed(store, partner);
        return door.invite(partner, { mode, role, actor: user, ttl });
      });
      const link = `${url ?? cliConsoleUrlOfProcess()}/#code=${invited.code}`;
      const expiresAt = moment(invited.expiresAt);
      if (json === true) return printJson({ url: link, id: invited.id, expires_at: expiresAt });
      print(link);
      printNote(`It can be opened once, until ${expiresAt}.`);
    });
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

function readTtl(text: string): number {
  const [, count, unit = ''] = /^(\d{1,4})([smh])$/.exec(text) ?? [];
  const ms = Number(count ?? 0) * (UNITS[unit] ?? 0);
  if (ms < 1_000 || ms > 3_600_000) throw new InvalidArgumentError('It must be 1s to 1h, such as 60s or 10m.');
  return ms;
}
