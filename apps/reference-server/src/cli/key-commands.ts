import type { ApiKey, Mode } from '@gateramp/core';
import type { KeyRecord } from '@gateramp/core/ports';
import { Option, type Command } from 'commander';
import { keyId } from '../key-id.js';
import { withDatabase, keyNamed, partnerNamed } from './administration.js';
import { CommandFault } from './command-fault.js';
import { readMode, readMoment, type Moment } from './options.js';
import { moment, print, printTable } from './print.js';

interface Issue {
  readonly partner: string;
  readonly mode: Mode;
  readonly type: 'secret' | 'publishable';
  readonly expires?: Moment;
}

/** A server sees a change within the staleness that revocations have: five seconds. */
export function addKeyCommands(gate: Command): void {
  const keys = gate
    .command('keys')
    .description('API keys. A key is shown once, when it is issued; afterwards it goes by its id');

  keys
    .command('issue')
    .description('Make a key; prints it, once')
    .requiredOption('--partner <id>', 'whose key it is')
    .requiredOption('--mode <test|live>', 'the host it works on', readMode)
    .addOption(
      new Option('--type <type>', 'secret for servers, publishable for browsers')
        .choices(['secret', 'publishable'])
        .default('secret'),
    )
    .option('--expires <when>', 'when it stops working: 90m, 24h, 30d, or a moment', readMoment)
    .action(async ({ partner, mode, type, expires }: Issue) => {
      const key = await withDatabase(async ({ admin, store, clock }) => {
        await partnerNamed(store, partner);
        const life = expires === undefined ? {} : { expiresAt: expires(clock.now(mode)) };
        return admin.issueKey(partner, { mode, type, ...life });
      });
      print(key.text);
      process.stderr.write(`Its id is ${keyId(key)}. The key itself cannot be shown again.\n`);
    });

  keys
    .command('list')
    .description("A partner's keys, and when each was last used, to the minute")
    .requiredOption('--partner <id>', 'whose keys')
    .action(async ({ partner }: { partner: string }) => {
      const rows = await withDatabase(async ({ store, clock }) => {
        await partnerNamed(store, partner);
        return (await store.listKeys(partner)).map((one) => rowOf(one, clock.now(one.key.mode)));
      });
      printTable(['ID', 'KEY', 'TYPE', 'MODE', 'STATE', 'CREATED', 'LAST USED', 'EXPIRES', 'REVOKED'], rows);
    });

  keys
    .command('revoke <key>')
    .description('End a key at once, by its id or its text')
    .action(async (given: string) => {
      const key = await changeKey(given, (known, now) => ({ ...known, revokedAt: known.revokedAt ?? now }));
      print(`${keyId(key)} was revoked at ${moment(key.revokedAt)}.`);
    });

  keys
    .command('expire <key>')
    .description('Let a key end later, as when it is being replaced')
    .requiredOption('--at <when>', '"now", 90m, 24h, 30d, or a moment such as 2030-01-31T00:00:00Z', readMoment)
    .action(async (given: string, { at }: { at: Moment }) => {
      const key = await changeKey(given, (known, now) => {
        if (known.revokedAt !== null)
          throw new CommandFault('That key has been revoked; it cannot be given a later end.');
        return { ...known, expiresAt: at(now) };
      });
      print(`${keyId(key)} expires at ${moment(key.expiresAt)}.`);
    });
}

/** `now` is the database's time, and the test clock's with it: an operator's machine may be an hour off. */
async function changeKey(given: string, change: (known: ApiKey, now: number) => ApiKey): Promise<ApiKey> {
  return withDatabase(async (context) => {
    const known = await keyNamed(context, given);
    const next = change(known, context.clock.now(known.mode));
    await context.store.save('key', next);
    return next;
  });
}

function rowOf({ key, lastUsedAt }: KeyRecord, now: number): readonly string[] {
  const { prefix, type, mode, createdAt, expiresAt, revokedAt } = key;
  const state = revokedAt !== null ? 'revoked' : expiresAt !== null && expiresAt < now ? 'expired' : 'active';
  return [
    keyId(key),
    `${prefix}…`,
    type,
    mode,
    state,
    moment(createdAt),
    lastUsedAt === null ? 'never' : moment(lastUsedAt),
    moment(expiresAt),
    moment(revokedAt),
  ];
}
