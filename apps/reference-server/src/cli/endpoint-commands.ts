import type { Mode, Scope } from '@gateramp/core';
import type { Command } from 'commander';
import { isWebUrl, isWebhookSecret } from '../seed/seed-file.js';
import { INSTALLATION, withDatabase, partnerNamed, type CommandContext } from './administration.js';
import { CommandError, UsageError } from './command-error.js';
import { confirm, withChangeOptions, YES_OPTION, type ChangeOptions, type Confirmation } from './confirm.js';
import { randomText, readMode } from './options.js';
import { moment, momentOrNull, print, printResult, printNote } from './print.js';
import { secretArgument } from './secret-argument.js';

interface Place {
  readonly partner: string;
  readonly mode: Mode;
}

interface Given extends Place, Confirmation {
  readonly url?: string;
  readonly secret?: string;
  readonly newSecret?: boolean;
}

/** Webhook endpoints, one for each partner and mode. */
export function addEndpointCommands(gate: Command): void {
  const endpoints = gate
    .command('endpoints')
    .description(
      'Manage webhook endpoints. A signing secret is printed once, when it is created, and stored encrypted',
    );

  withPlace(endpoints.command('show'))
    .description('Show the URL of an endpoint, its secrets, and whether it is paused')
    .action(async (place: Place) => {
      const shown = await withDatabase((context) => endpointOf(context, place));
      printResult(shown);
      const { url, pausedAt, partnerPausedAt, waitingDeliveries, secrets } = shown;
      print(`URL      ${url ?? '-'}`);
      if (pausedAt !== null) print(`Paused   since ${pausedAt}`);
      if (partnerPausedAt !== null) print(`Paused   with its partner since ${partnerPausedAt}`);
      print(`Waiting  ${waitingDeliveries}`);
      for (const { createdAt, expiresAt } of secrets)
        print(`Secret   since ${createdAt}${expiresAt === null ? '' : `, signs until ${expiresAt}`}`);
    });

  withPlace(endpoints.command('set'))
    .description('Set the URL or signing secret. The first URL also creates a secret, which is printed once')
    .option('--url <url|none>', 'the URL that webhooks are sent to, or "none" to remove it')
    .option(
      '--secret <secret>',
      'your own signing secret (whsec_ and 16 to 200 visible characters); pass "-" to read it from standard input',
    )
    .option('--new-secret', 'replace the signing secret at once and print the new one')
    .option(...YES_OPTION)
    .action(async ({ secret, ...given }: Given) => {
      const own = secret === undefined ? {} : { secret: await secretArgument('--secret', secret) };
      const made = await withDatabase(async (context) => {
        const generated = await setEndpoint(context, { ...given, ...own });
        return { secret: generated, endpoint: await endpointOf(context, given) };
      });
      printResult({ ...made.endpoint, secret: made.secret });
      if (made.secret === null) printNote('Done. No signing secret was generated.');
      else print(made.secret);
    });

  withChangeOptions(withPlace(endpoints.command('pause')))
    .description('Pause an endpoint. Deliveries wait, and no attempts are counted')
    .action(async ({ dryRun = false, ...place }: Place & ChangeOptions) => {
      const shown = await withDatabase(async (context) => {
        if (!dryRun) await admin(context, place, 'pauseEndpoint');
        return endpointOf(context, place);
      });
      const { waitingDeliveries, pausedAt } = shown;
      printResult({ ...shown, isDryRun: dryRun });
      if (dryRun) return printNote(`${waitingDeliveries} deliveries would wait. Nothing was changed.`);
      print(`The ${place.mode} endpoint of ${place.partner} has been paused since ${pausedAt ?? '-'}.`);
      printNote(`${waitingDeliveries} deliveries are waiting. Running attempts finish as usual.`);
    });

  withChangeOptions(withPlace(endpoints.command('resume')))
    .description('Resume a paused endpoint. Waiting deliveries are sent first')
    .action(async ({ dryRun = false, ...place }: Place & ChangeOptions) => {
      const shown = await withDatabase(async (context) => {
        if (!dryRun) await admin(context, place, 'resumeEndpoint');
        return endpointOf(context, place);
      });
      const { waitingDeliveries, partnerPausedAt } = shown;
      printResult({ ...shown, isDryRun: dryRun });
      if (dryRun) return printNote(`${waitingDeliveries} deliveries would be sent. Nothing was changed.`);
      if (partnerPausedAt === null) print(`The ${place.mode} endpoint of ${place.partner} is no longer paused.`);
      else print(`Its partner is still paused since ${partnerPausedAt}. Run: gate partners resume ${place.partner}`);
      printNote(`${waitingDeliveries} deliveries are waiting.`);
    });

  gate
    .command('reseal')
    .description(
      'Encrypt every webhook secret and KYC package with the current GATE_MASTER_KEY, so that the old keys can be removed',
    )
    .action(async () => {
      const { endpoints: sealed, packages } = await withDatabase(async ({ admin, operator, crypto }) => {
        await admin.audit.record({ ...INSTALLATION, action: 'master_key.reseal', before: null, after: null });
        const reseal = (text: string, owner?: Scope): string =>
          crypto.sealSecret(crypto.openSecret(text, owner), owner);
        return {
          endpoints: await operator.resealSecrets(reseal),
          packages: await operator.resealPackages((text) => reseal(text)),
        };
      });
      printResult({ endpoints: sealed, kyc_packages: packages });
      print(`${sealed} endpoints and ${packages} KYC packages are encrypted with the current master key.`);
    });
}

function withPlace(command: Command): Command {
  return command
    .requiredOption('--partner <id>', 'the partner')
    .requiredOption('--mode <test|live>', 'the mode', readMode);
}

/** An endpoint as printed with `--json`. */
async function endpointOf({ admin: administration, store, operator }: CommandContext, { partner, mode }: Place) {
  await partnerNamed(store, partner);
  const scope = { partnerId: partner, mode };
  const [endpoint, waitingDeliveries] = await Promise.all([
    administration.findEndpoint(scope),
    operator.waitingDeliveries(scope),
  ]);
  return {
    ...scope,
    url: endpoint?.url ?? null,
    pausedAt: momentOrNull(endpoint?.pausedAt),
    partnerPausedAt: momentOrNull(endpoint?.partnerPausedAt),
    waitingDeliveries,
    secrets: (endpoint?.secrets ?? []).map(({ createdAt, expiresAt }) => ({
      createdAt: moment(createdAt),
      expiresAt: momentOrNull(expiresAt),
    })),
  };
}

async function admin(
  { admin: administration, store }: CommandContext,
  { partner, mode }: Place,
  call: 'pauseEndpoint' | 'resumeEndpoint',
): Promise<void> {
  await partnerNamed(store, partner);
  const scope = { partnerId: partner, mode };
  if ((await administration.findEndpoint(scope)) === null)
    throw new CommandError(`${partner} has no ${mode} endpoint. Set one with: gate endpoints set`);
  await administration[call](scope);
}

/** Returns the generated secret; null if none was generated. */
async function setEndpoint(context: CommandContext, given: Given): Promise<string | null> {
  const { partner, mode, secret, newSecret } = given;
  checkEndpoint(given);
  await partnerNamed(context.store, partner);
  const scope = { partnerId: partner, mode };
  const known = await context.admin.findEndpoint(scope);
  const url = given.url === undefined ? (known?.url ?? null) : given.url === 'none' ? null : given.url;
  if (url === null && known?.url) await confirm(await describeLoss(context, given), given);
  const isUnsigned = secret === undefined && url !== null && (known?.secrets.length ?? 0) === 0;
  const made = newSecret === true || isUnsigned ? `whsec_${randomText()}` : null;
  await context.admin.setEndpoint(scope, { url, secret: made ?? secret ?? null });
  return made;
}

function checkEndpoint({ url, secret, newSecret }: Given): void {
  if (url === undefined && secret === undefined && newSecret !== true)
    throw new UsageError('Pass --url, --secret or --new-secret.');
  if (secret !== undefined && newSecret === true)
    throw new UsageError('Pass either --secret or --new-secret, not both.');
  if (url !== undefined && url !== 'none' && !isWebUrl(url))
    throw new UsageError('The URL must be an absolute http or https URL without user name or password.');
  if (secret !== undefined && !isWebhookSecret(secret))
    throw new UsageError('A signing secret must be "whsec_" and 16 to 200 visible characters.');
}

async function describeLoss({ operator }: CommandContext, { partner, mode }: Place): Promise<string> {
  const waiting = await operator.waitingDeliveries({ partnerId: partner, mode });
  return (
    `Without a URL, ${waiting} waiting deliveries of ${partner} (${mode}) fail and are dead-lettered, and new events get no delivery, ` +
    `not even later. To keep deliveries, pause the endpoint instead: gate endpoints pause --partner ${partner} --mode ${mode}.`
  );
}
