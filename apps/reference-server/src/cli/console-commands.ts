import { randomInt } from 'node:crypto';
import type { Mode } from '@gateramp/core';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { cliConsoleUrlOfProcess } from '../config/cli-config.js';
import { passkeyPlaceOf } from '../sign-in/passkeys.js';
import { partnerNamed, withDatabase } from './administration.js';
import { readMode } from './options.js';
import { CommandError } from './command-error.js';
import { moment, print, printResult, printNote, printTable } from './print.js';

interface Invite {
  readonly partner: string;
  readonly mode: Mode;
  readonly role: 'viewer' | 'support' | 'developer' | 'admin';
  readonly user?: string;
  readonly ttl: number;
  readonly url?: string;
}

const ROLES = ['viewer', 'support', 'developer', 'operator', 'admin'] as const;

interface Enroll {
  readonly user: string;
  readonly role: (typeof ROLES)[number];
  readonly ttl: number;
  readonly url?: string;
}

/** Lets users of partners and operators into the console. */
export function addConsoleCommands(gate: Command): void {
  const console = gate
    .command('console')
    .description('Manage access to the console for users of partners and operators');

  console
    .command('invite')
    .description('Create a one-time link to the console for a user of a partner')
    .requiredOption('--partner <id>', 'the partner')
    .requiredOption('--mode <test|live>', 'the mode that the user can access', readMode)
    .addOption(
      new Option('--role <role>', 'what the user may do')
        .choices(['viewer', 'support', 'developer', 'admin'])
        .default('viewer'),
    )
    .option('--user <name>', 'name of the invited user, for the audit trail (default: "invited user" and a number)')
    .addOption(ttlOption(60_000, '60s'))
    .option(
      '--url <origin>',
      'address of the console; by default GATE_CONSOLE_URL, or GATE_CONSOLE_PORT of this machine',
    )
    .action(async ({ partner, mode, role, user, ttl, url }: Invite) => {
      const invited = await withDatabase(async ({ door, store }) => {
        await partnerNamed(store, partner);
        // People without a name must not count as one.
        const actor = user ?? `invited user ${randomInt(1_000_000, 10_000_000)}`;
        return door.invite(partner, { mode, role, actor, ttl });
      });
      const link = `${url ?? cliConsoleUrlOfProcess()}/#code=${invited.code}`;
      const expiresAt = moment(invited.expiresAt);
      printResult({ url: link, id: invited.id, expires_at: expiresAt });
      print(link);
      printNote(`The link can be opened once, until ${expiresAt}.`);
    });

  console
    .command('enroll')
    .description('Create a one-time link where an operator registers a passkey for signing in')
    .requiredOption('--user <name>', 'the operator, such as ada@example.com; the audit trail shows it with each change')
    .addOption(new Option('--role <role>', 'what the operator may do').choices(ROLES).makeOptionMandatory())
    .addOption(ttlOption(600_000, '10m'))
    .option('--url <origin>', 'address of the console; by default GATE_CONSOLE_URL, or this machine')
    .action(async ({ user, role, ttl, url }: Enroll) => {
      const place = passkeyPlaceOf(url ?? cliConsoleUrlOfProcess());
      if (place === null)
        throw new CommandError(
          'Browsers store passkeys for host names, not for IP addresses. Set GATE_CONSOLE_URL to a URL with a host name.',
        );
      const invited = await withDatabase(({ door }) => door.passkeys.invite({ actor: user, role, ttl }));
      const link = `${place.origin}/#enroll=${invited.code}`;
      const expiresAt = moment(invited.expiresAt);
      printResult({ url: link, id: invited.id, expires_at: expiresAt });
      print(link);
      printNote(`The link works once, until ${expiresAt}.`);
    });

  addPasskeyCommands(console.command('passkeys').description('List and remove the passkeys of operators'));
  addSessionCommands(
    console.command('sessions').description('List and end sessions of the console, and invitations to it'),
  );
}

function addPasskeyCommands(passkeys: Command): void {
  passkeys
    .command('list')
    .description('List passkeys and enrolments, including those removed in the last 30 days')
    .action(async () => {
      const all = await withDatabase(({ door }) => door.passkeys.list());
      printResult(
        all.map(({ id, actor, role, state, createdAt, lastUsedAt }) => ({
          id,
          user: actor,
          role,
          state,
          created_at: moment(createdAt),
          last_used_at: lastUsedAt === null ? null : moment(lastUsedAt),
        })),
      );
      printTable(
        ['id', 'user', 'role', 'state', 'created', 'last used'],
        all.map((one) => [one.id, one.actor, one.role, one.state, moment(one.createdAt), moment(one.lastUsedAt)]),
      );
    });

  passkeys
    .command('remove <id>')
    .description('Remove a passkey or withdraw an enrolment, and end the sessions of this operator')
    .action(async (id: string) => {
      const { removed, ended } = await withDatabase(async ({ door }) => {
        const passkey = await door.passkeys.remove(id);
        if (passkey === null) throw new CommandError('No such passkey. List them with: gate console passkeys list');
        // After the removal, so that no session begins in between.
        const theirs = (await door.list(null)).filter(
          ({ actor, state }) => actor.id === passkey.actor && state === 'active',
        );
        for (const session of theirs) await door.revoke(null, session.id);
        return { removed: passkey, ended: theirs.length };
      });
      printResult({ id, user: removed.actor, sessionsEnded: ended });
      print(`Removed the passkey of ${removed.actor}, and ended ${ended} ${ended === 1 ? 'session' : 'sessions'}.`);
    });
}

interface OfPartner {
  readonly partner?: string | null;
}

function addSessionCommands(sessions: Command): void {
  const partner = ['--partner <id>', 'sessions of users of this partner (default: sessions of operators)'] as const;
  sessions
    .command('list')
    .description('List the newest 100 sessions and invitations of the last 30 days, and older ones with passkeys')
    .option(...partner)
    .action(async ({ partner: of = null }: OfPartner) => {
      const all = await withDatabase(({ door }) => door.list(of));
      printResult(
        all.map(({ id, actor, role, mode, state, passkeys, createdAt, expiresAt }) => ({
          id,
          user: actor.id,
          role,
          mode,
          state,
          passkeys: passkeys.length,
          created_at: moment(createdAt),
          expires_at: moment(expiresAt),
        })),
      );
      printTable(
        ['id', 'user', 'role', 'mode', 'state', 'passkeys', 'created', 'expires'],
        all.map((one) => [
          one.id,
          one.actor.id,
          one.role,
          one.mode ?? '-',
          one.state,
          String(one.passkeys.length),
          moment(one.createdAt),
          moment(one.expiresAt),
        ]),
      );
    });

  sessions
    .command('end <id>')
    .description('End a session and remove the passkeys of its user, or withdraw an invitation')
    .option(...partner)
    .action(async (id: string, { partner: of = null }: OfPartner) => {
      const isEnded = await withDatabase(({ door }) => door.revoke(of, id));
      if (!isEnded) throw new CommandError('No such session. List them with: gate console sessions list');
      printResult({ id, state: 'ended' });
      print('Ended.');
    });
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

const ttlOption = (ms: number, shown: string): Option =>
  new Option('--ttl <time>', 'how long the link is valid, at most 1h').default(ms, shown).argParser(readTtl);

function readTtl(text: string): number {
  const [, count, unit = ''] = /^(\d{1,4})([smh])$/.exec(text) ?? [];
  const ms = Number(count ?? 0) * (UNITS[unit] ?? 0);
  if (ms < 1_000 || ms > 3_600_000)
    throw new InvalidArgumentError('Pass a duration from 1s to 1h, such as 60s or 10m.');
  return ms;
}
