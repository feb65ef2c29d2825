import type { Administration, ApiKey, Mode } from '@gateramp/core';
import { KEY_SCOPES, type KeyScope, parseKey, keyId } from '@gateramp/core/domain';
import type { KeyRecord } from '@gateramp/core/ports';
import { Option, type Command } from 'commander';
import { withDatabase, keyNamed, partnerNamed, type CommandContext } from './administration.js';
import { CommandError } from './command-error.js';
import { confirm, YES_OPTION, type Confirmation } from './confirm.js';
import { readMode, readMoment, type Moment } from './options.js';
import { moment, momentOrNull, print, printResult, printNote, printTable } from './print.js';
import { secretArgument } from './secret-argument.js';

interface Issue {
  readonly partner: string;
  readonly mode: Mode;
  readonly type: 'secret' | 'publishable';
  readonly expires?: Moment;
  readonly scope?: readonly (KeyScope | '*')[];
  readonly allowIp?: readonly string[];
}

/** Servers notice a change within five seconds, the maximum staleness of revocations. */
export function addKeyCommands(gate: Command): void {
  const keys = gate
    .command('keys')
    .description('Manage API keys. A key is printed once, when it is issued; afterwards, refer to it by its id');

  keys
    .command('issue')
    .description('Issue a key and print it once')
    .requiredOption('--partner <id>', 'the partner')
    .requiredOption('--mode <test|live>', 'the mode', readMode)
    .addOption(
      new Option('--type <type>', 'secret for servers, publishable for browsers')
        .choices(['secret', 'publishable'])
        .default('secret'),
    )
    .option('--expires <when>', 'when it expires: 90m, 24h, 30d, or a time such as 2030-01-31T00:00:00Z', readMoment)
    .addOption(
      new Option(
        '--scope <scope...>',
        'restrict a secret key to these scopes; write includes read of the same resource',
      ).choices(['*', ...KEY_SCOPES]),
    )
    .option('--allow-ip <network...>', 'restrict a secret key to these addresses or networks, such as 203.0.113.0/24')
    .action(async ({ partner, mode, type, expires, scope, allowIp }: Issue) => {
      const { key, shown } = await withDatabase(async ({ admin, store, clock }) => {
        await partnerNamed(store, partner);
        const issued = await admin.issueKey(partner, {
          mode,
          type,
          ...(expires === undefined ? {} : { expiresAt: expires(clock.now({ partnerId: partner, mode })) }),
          ...(scope === undefined ? {} : { scopes: scope }),
          ...(allowIp === undefined ? {} : { allowedIps: allowIp }),
        });
        return { key: issued, shown: shownKey({ key: issued, lastUsedAt: null }, clock.now(issued)) };
      });
      printResult({ ...shown, key: key.text });
      print(key.text);
      printNote(`Its id is ${keyId(key)}. The key itself cannot be shown again.`);
    });

  keys
    .command('list')
    .description('List the keys of a partner with their last use, to the minute')
    .requiredOption('--partner <id>', 'the partner')
    .action(async ({ partner }: { partner: string }) => {
      const all = await withDatabase(async ({ store, clock }) => {
        await partnerNamed(store, partner);
        return (await store.listKeys(partner)).map((one) => shownKey(one, clock.now(one.key)));
      });
      printResult(all);
      printTable(
        ['ID', 'KEY', 'TYPE', 'MODE', 'STATE', 'CREATED', 'LAST USED', 'EXPIRES', 'REVOKED', 'SCOPES', 'ALLOWED IPS'],
        all.map((one) => [
          one.id,
          `${one.prefix}…`,
          one.type,
          one.mode,
          one.state,
          one.createdAt,
          one.lastUsedAt ?? 'never',
          one.expiresAt ?? '-',
          one.revokedAt ?? '-',
          one.scopes?.join(' ') ?? '*',
          one.allowedIps?.join(' ') ?? '*',
        ]),
      );
    });

  keys
    .command('revoke <key>')
    .description('Revoke a key at once. Pass its id, or "-" to read the key from standard input')
    .option(...YES_OPTION)
    .action(async (given: string, options: Confirmation) => {
      const shown = await changeKey(
        given,
        options,
        (known, now) => ({ ...known, revokedAt: known.revokedAt ?? now }),
        (admin, { hash }) => admin.revokeKey(hash),
      );
      printResult(shown);
      print(`${shown.id} was revoked at ${shown.revokedAt ?? '-'}.`);
    });

  keys
    .command('expire <key>')
    .description(
      'Set when a key expires, such as one that you replace. Pass its id, or "-" to read the key from standard input',
    )
    .requiredOption('--at <when>', '"now", 90m, 24h, 30d, or a time such as 2030-01-31T00:00:00Z', readMoment)
    .option(...YES_OPTION)
    .action(async (given: string, { at, ...options }: Confirmation & { at: Moment }) => {
      const shown = await changeKey(
        given,
        options,
        (known, now) => {
          if (known.revokedAt !== null)
            throw new CommandError('The key is already revoked; its expiry cannot be changed.');
          return { ...known, expiresAt: at(now) };
        },
        (admin, { hash, expiresAt }) => admin.expireKey(hash, expiresAt ?? 0),
      );
      printResult(shown);
      print(`${shown.id} expires at ${shown.expiresAt ?? '-'}.`);
    });
}

/** `now` is the database's time, including the test clock: the clock of an operator's machine may be wrong. */
async function changeKey(
  argument: string,
  options: Confirmation,
  change: (known: ApiKey, now: number) => ApiKey,
  save: (admin: Administration, next: ApiKey) => Promise<void>,
): Promise<ReturnType<typeof shownKey>> {
  const given = argument === '-' || parseKey(argument) !== null ? await secretArgument('<key>', argument) : argument;
  return withDatabase(async (context) => {
    const known = await keyNamed(context, given);
    const now = context.clock.now(known);
    const next = change(known, now);
    if (works(known, now) && !works(next, now + 1) && (await isLast(context, known, now)))
      await confirm(
        `This is the last working ${known.type} key of ${known.partnerId} in ${known.mode} mode. Without it, its ${
          known.type === 'secret' ? 'server cannot call the API' : 'checkouts cannot open'
        }.`,
        options,
      );
    await save(context.admin, next);
    // Stamped by the store, and a key that was revoked before keeps its first instant.
    const key = await keyNamed(context, next.hash);
    const records = await context.store.listKeys(key.partnerId);
    const lastUsedAt = records.find((one) => one.key.hash === key.hash)?.lastUsedAt ?? null;
    return shownKey({ key, lastUsedAt }, context.clock.now(key));
  });
}

/** Whether the partner has no other unrestricted key of that kind. */
async function isLast(
  { store }: CommandContext,
  { partnerId, mode, type, hash }: ApiKey,
  now: number,
): Promise<boolean> {
  const all = await store.listKeys(partnerId);
  return !all.some(
    ({ key }) => key.hash !== hash && key.mode === mode && key.type === type && works(key, now) && !isRestricted(key),
  );
}

function isRestricted({ scopes, allowedIps }: ApiKey): boolean {
  return scopes !== undefined || allowedIps !== undefined;
}

function works({ revokedAt, expiresAt }: ApiKey, now: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt >= now);
}

/** A key as printed with `--json`. */
function shownKey({ key, lastUsedAt }: KeyRecord, now: number) {
  const { prefix, type, mode, createdAt, expiresAt, revokedAt, scopes, allowedIps } = key;
  return {
    id: keyId(key),
    prefix,
    type,
    mode,
    state: works(key, now) ? 'active' : revokedAt !== null ? 'revoked' : 'expired',
    createdAt: moment(createdAt),
    lastUsedAt: momentOrNull(lastUsedAt),
    expiresAt: momentOrNull(expiresAt),
    revokedAt: momentOrNull(revokedAt),
    scopes: scopes ?? null,
    allowedIps: allowedIps ?? null,
  };
}
