import { randomBytes } from 'node:crypto';
import type { Partner } from '@gateramp/core';
import { isSuspended, MODES, savesMethods, type Entitlement } from '@gateramp/core/domain';
import { Option, type Command } from 'commander';
import { cliLiveProviderOfProcess } from '../config/cli-config.js';
import { isOrigin } from '../seed/seed-file.js';
import { LIVE_ON_SANDBOX, NO_LIVE_PROVIDER_HERE, UNKNOWN_LIVE_PROVIDER } from '../live-provider.js';
import { withDatabase, partnerNamed } from './administration.js';
import { CommandError, UsageError } from './command-error.js';
import { confirm, withChangeOptions, YES_OPTION, type ChangeOptions, type Confirmation } from './confirm.js';
import { collect, readFactor, readQuota, readReason, readSwitch } from './options.js';
import { momentOrNull, print, printJson, printNote, printResult, printTable } from './print.js';
import { changedRestrictions, withRestrictions, type GivenRestrictions } from './restriction-options.js';

/** Options that set fields of a partner; omitted fields are unchanged. */
interface Given extends GivenRestrictions {
  readonly name?: string;
  readonly origin?: readonly string[];
  readonly live?: boolean;
  readonly kycTrusted?: boolean;
  readonly entitlement?: readonly string[];
  readonly savedPaymentMethods?: boolean;
  readonly quota?: number | 'none';
  readonly rateLimitFactor?: number | 'none';
}

export function addPartnerCommands(gate: Command): void {
  const partners = gate.command('partners').description('Manage partners, the teams that embed the checkout');

  partners
    .command('list')
    .description('List all partners')
    .action(async () => {
      const all = await withDatabase(({ operator }) => operator.partners());
      printResult(all.map(partnerOf));
      printTable(
        ['ID', 'NAME', 'LIVE', 'KYC', 'SAVED METHODS', 'ENTITLEMENTS', 'QUOTA', 'ORIGINS'],
        all.map((one) => [
          one.id,
          one.name,
          isSuspended(one) ? 'suspended' : onOff(one.liveEnabled),
          onOff(one.kycTrusted),
          onOff(savesMethods(one)),
          some(one.entitlements),
          String(one.completedSessionsQuota ?? '-'),
          some(one.allowedOrigins),
        ]),
      );
    });

  withFields(partners.command('create').description('Create a partner and print its id'))
    .requiredOption('--name <name>', 'its display name')
    .option('--id <id>', 'an id of your choice: 1 to 64 letters, digits, "_" or "-"')
    .action(async ({ id, ...given }: Given & { id?: string }) => {
      checkLive(given);
      const fresh = { ...NOTHING, id: checkId(id ?? randomBytes(12).toString('hex')) };
      const partner = changed(fresh, given);
      await withDatabase(async ({ admin, store }) => {
        if ((await store.findPartner(fresh.id)) !== null)
          throw new CommandError(
            `The partner "${fresh.id}" already exists. Change it with: gate partners update ${fresh.id}`,
          );
        await admin.savePartner(partner);
      });
      printResult(partnerOf(partner));
      print(partner.id);
    });

  withFields(
    partners
      .command('update <id>')
      .description('Change the given fields and print the partner. A list replaces the previous list'),
  )
    .option('--name <name>', 'its display name')
    .action(async (id: string, given: Given) => {
      checkLive(given);
      const next = await withDatabase(async ({ admin, store }) => {
        const partner = changed(await partnerNamed(store, id), given);
        await admin.savePartner(partner);
        return partner;
      });
      printJson(partnerOf(next));
    });

  withChangeOptions(partners.command('pause <id>'))
    .description('Pause the webhooks of a partner in both modes. Deliveries wait, and no attempts are counted')
    .action((id: string, options: ChangeOptions) => pause(id, 'pausePartner', options));

  withChangeOptions(partners.command('resume <id>'))
    .description('Resume the webhooks of a partner. Waiting deliveries are sent first; paused endpoints stay paused')
    .action((id: string, options: ChangeOptions) => pause(id, 'resumePartner', options));

  addSuspensionCommands(partners);
}

async function pause(id: string, call: 'pausePartner' | 'resumePartner', options: ChangeOptions): Promise<void> {
  const { dryRun = false } = options;
  const endpoints = await withDatabase(async ({ admin, store, operator }) => {
    await partnerNamed(store, id);
    if (!dryRun) await admin[call](id);
    return Promise.all(
      MODES.map(async (mode) => ({
        mode,
        partnerPausedAt: momentOrNull((await admin.findEndpoint({ partnerId: id, mode }))?.partnerPausedAt),
        waitingDeliveries: await operator.waitingDeliveries({ partnerId: id, mode }),
      })),
    );
  });
  printResult({ id, endpoints, isDryRun: dryRun });
  const waiting = endpoints.map(({ mode, waitingDeliveries }) => `${waitingDeliveries} in ${mode} mode`).join(', ');
  if (dryRun) return printNote(`Waiting deliveries: ${waiting}. Nothing was changed.`);
  print(`Webhooks of ${id} are ${call === 'pausePartner' ? 'paused' : 'no longer paused'}.`);
}

interface SuspensionOptions extends Confirmation {
  readonly reason: string;
  readonly dryRun?: boolean;
}

function addSuspensionCommands(partners: Command): void {
  const withOptions = (command: Command): Command =>
    command
      .requiredOption('--reason <text>', 'reason, for the record', readReason)
      .option('--dry-run', 'print what would change without changing anything')
      .option(...YES_OPTION);
  withOptions(
    partners
      .command('suspend <id>')
      .description(
        'Refuse the keys of a partner and new payments at its checkouts. Running payments finish, and webhooks are delivered',
      ),
  ).action((id: string, options: SuspensionOptions) => setSuspended(id, { ...options, isSuspending: true }));
  withOptions(
    partners
      .command('reinstate <id>')
      .description('End the suspension of a partner: its keys and checkouts work again'),
  ).action((id: string, options: SuspensionOptions) => setSuspended(id, { ...options, isSuspending: false }));
}

async function setSuspended(
  id: string,
  { isSuspending, dryRun = false, ...options }: SuspensionOptions & { readonly isSuspending: boolean },
): Promise<void> {
  const partner = await withDatabase(async ({ admin, store }) => {
    const known = await partnerNamed(store, id);
    const keys = (await admin.listKeys(id)).filter(({ key }) => key.revokedAt === null).length;
    const effect = isSuspending
      ? `Suspending ${known.name} (${id}) refuses its ${keys} keys and new payments at its checkouts.`
      : `Reinstating ${known.name} (${id}) lets its ${keys} keys and its checkouts work again.`;
    if (isSuspended(known) === isSuspending) {
      printNote(`${known.name} (${id}) is ${isSuspending ? 'already' : 'not'} suspended. Nothing was changed.`);
      return known;
    }
    if (dryRun) {
      printNote(`${effect} Nothing was changed.`);
      return known;
    }
    await confirm(effect, options);
    return isSuspending ? admin.suspendPartner(id) : admin.reinstatePartner(id);
  });
  printResult({ id, suspendedAt: momentOrNull(partner.suspendedAt) });
  const since = momentOrNull(partner.suspendedAt);
  print(since === null ? `${id} is not suspended.` : `${id} has been suspended since ${since}.`);
}

/** A partner as printed with `--json`. */
function partnerOf(partner: Partner) {
  return {
    id: partner.id,
    name: partner.name,
    allowedOrigins: partner.allowedOrigins,
    kycTrusted: partner.kycTrusted,
    liveEnabled: partner.liveEnabled,
    savedPaymentMethods: savesMethods(partner),
    entitlements: partner.entitlements,
    completedSessionsQuota: partner.completedSessionsQuota,
    rateLimitFactor: partner.rateLimitFactor ?? null,
    restrictions: partner.restrictions ?? null,
    suspendedAt: momentOrNull(partner.suspendedAt),
  };
}

/** Warns about live mode without a provider, or on the sandbox. A shell need not have the settings of the servers, which refuse it. */
function checkLive({ live }: Given): void {
  if (live !== true) return;
  const { provider, problems } = cliLiveProviderOfProcess();
  if (provider === null) printNote([UNKNOWN_LIVE_PROVIDER, ...problems.map((problem) => `  ${problem}`)].join('\n'));
  if (provider === 'none') printNote(NO_LIVE_PROVIDER_HERE);
  if (provider === 'sandbox') printNote(LIVE_ON_SANDBOX);
}

function withFields(command: Command): Command {
  return withRestrictions(command)
    .option('--origin <origin>', 'an origin whose pages may open the checkout; repeatable', collect)
    .option('--live <on|off>', 'whether it may use live mode', readSwitch)
    .option('--kyc-trusted <on|off>', 'whether its kyc_package is accepted in place of identity checks', readSwitch)
    .option(
      '--saved-payment-methods <on|off>',
      'whether its buyers can save payment methods, which belong to their user_reference',
      readSwitch,
    )
    .addOption(
      new Option('--entitlement <name>', 'a product that it may use; repeatable')
        .choices(['swap', 'rails', 'pools', 'none'])
        .argParser(collect),
    )
    .option('--quota <number|none>', 'completed sessions per UTC month', readQuota)
    .option(
      '--rate-limit-factor <number|none>',
      'count calls with secret keys per partner, and multiply every limit by this factor',
      readFactor,
    );
}

const NOTHING: Omit<Partner, 'id'> = {
  name: '',
  allowedOrigins: [],
  kycTrusted: false,
  liveEnabled: false,
  entitlements: [],
  completedSessionsQuota: null,
};

const ENTITLEMENTS: readonly Entitlement[] = ['swap', 'rails', 'pools'];

function changed(partner: Partner, given: Given): Partner {
  const stranger = given.origin?.find((origin) => !isOrigin(origin));
  if (stranger !== undefined)
    throw new UsageError(
      `"${stranger}" is not an exact origin such as "https://shop.example", without path or trailing slash.`,
    );
  const unknown = given.entitlement?.find((name) => name !== 'none' && !ENTITLEMENTS.some((known) => known === name));
  if (unknown !== undefined)
    throw new UsageError(`"${unknown}" is not an entitlement. Use ${ENTITLEMENTS.join(', ')} or none.`);
  return {
    ...partner,
    name: given.name ?? partner.name,
    allowedOrigins: given.origin ?? partner.allowedOrigins,
    liveEnabled: given.live ?? partner.liveEnabled,
    kycTrusted: given.kycTrusted ?? partner.kycTrusted,
    savedPaymentMethods: given.savedPaymentMethods ?? savesMethods(partner),
    entitlements:
      given.entitlement === undefined
        ? partner.entitlements
        : ENTITLEMENTS.filter((name) => given.entitlement?.includes(name) ?? false),
    completedSessionsQuota: quotaOf(given.quota, partner),
    rateLimitFactor: factorOf(given.rateLimitFactor, partner),
    restrictions: changedRestrictions(partner.restrictions, given),
  };
}

function quotaOf(given: Given['quota'], partner: Partner): number | null {
  if (given === undefined) return partner.completedSessionsQuota;
  return given === 'none' ? null : given;
}

function factorOf(given: Given['rateLimitFactor'], partner: Partner): number | null {
  if (given === undefined) return partner.rateLimitFactor ?? null;
  return given === 'none' ? null : given;
}

function checkId(id: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(id)) return id;
  throw new UsageError('An id must be 1 to 64 letters, digits, "_" or "-".');
}

function onOff(is: boolean): string {
  return is ? 'on' : 'off';
}

function some(texts: readonly string[]): string {
  return texts.length === 0 ? '-' : texts.join(',');
}
