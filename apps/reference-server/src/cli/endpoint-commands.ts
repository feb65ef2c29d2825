import type { Mode } from '@gateramp/core';
import type { Command } from 'commander';
import { isWebUrl, isWebhookSecret } from '../config-seed-file.js';
import { withDatabase, partnerNamed, type CommandContext } from './administration.js';
import { CommandFault } from './command-fault.js';
import { randomText, readMode } from './options.js';
import { moment, print } from './print.js';

interface Place {
  readonly partner: string;
  readonly mode: Mode;
}

interface Given extends Place {
  readonly url?: string;
  readonly secret?: string;
  readonly newSecret?: boolean;
}

export function addEndpointCommands(gate: Command): void {
  const endpoints = gate.command('endpoints').description('Where webhooks go. Secrets are shown once and kept sealed');

  withPlace(endpoints.command('show')).action(async ({ partner, mode }: Place) => {
    const endpoint = await withDatabase(async ({ admin, store }) => {
      await partnerNamed(store, partner);
      return admin.findEndpoint({ partnerId: partner, mode });
    });
    print(`URL      ${endpoint?.url ?? '-'}`);
    for (const { createdAt, expiresAt } of endpoint?.secrets ?? [])
      print(`Secret   since ${moment(createdAt)}${expiresAt === null ? '' : `, signs until ${moment(expiresAt)}`}`);
  });

  withPlace(endpoints.command('set'))
    .description('Change what is given. A first URL without a secret gets one, printed once')
    .option('--url <url|none>', 'where webhooks go, or "none"')
    .option('--secret <secret>', 'a signing secret of your own: whsec_ and 16 to 200 visible characters')
    .option('--new-secret', 'replace the signing secret at once; prints it, once')
    .action(async (given: Given) => {
      const made = await withDatabase((context) => setEndpoint(context, given));
      if (made === null) process.stderr.write('Done. The signing secret is as it was, or as you gave it.\n');
      else print(made);
    });

  gate
    .command('reseal')
    .description(
      'Seal every webhook secret and KYC package under the present GATE_MASTER_KEY; then the old master keys can go',
    )
    .action(async () => {
      const { endpoints: sealed, packages } = await withDatabase(async ({ operator, crypto }) => {
        const reseal = (text: string): string => crypto.sealSecret(crypto.openSecret(text));
        return { endpoints: await operator.resealSecrets(reseal), packages: await operator.resealPackages(reseal) };
      });
      print(`${sealed} endpoints and ${packages} KYC packages are sealed under the present master key.`);
    });
}

function withPlace(command: Command): Command {
  return command.requiredOption('--partner <id>', 'whose').requiredOption('--mode <test|live>', 'which host', readMode);
}

/** The secret that was made for it, null if none was. */
async function setEndpoint(
  { admin, store }: CommandContext,
  { partner, mode, url: given, secret, newSecret }: Given,
): Promise<string | null> {
  if (given === undefined && secret === undefined && newSecret !== true)
    throw new CommandFault('Give --url, --secret or --new-secret.');
  if (secret !== undefined && newSecret === true) throw new CommandFault('Give --secret or --new-secret, not both.');
  if (given !== undefined && given !== 'none' && !isWebUrl(given))
    throw new CommandFault('The URL must be an absolute http or https URL without user name or password.');
  if (secret !== undefined && !isWebhookSecret(secret))
    throw new CommandFault('A secret is "whsec_" and 16 to 200 visible characters.');
  await partnerNamed(store, partner);
  const scope = { partnerId: partner, mode };
  const known = await admin.findEndpoint(scope);
  const url = given === undefined ? (known?.url ?? null) : given === 'none' ? null : given;
  const isUnsigned = secret === undefined && url !== null && (known?.secrets.length ?? 0) === 0;
  const made = newSecret === true || isUnsigned ? `whsec_${randomText()}` : null;
  await admin.setEndpoint(scope, { url, secret: made ?? secret ?? null });
  return made;
}
