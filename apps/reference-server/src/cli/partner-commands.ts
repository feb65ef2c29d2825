import { randomBytes } from 'node:crypto';
import type { Partner } from '@gateramp/core';
import type { Entitlement } from '@gateramp/core/domain';
import { Option, type Command } from 'commander';
import { isOrigin } from '../config-seed-file.js';
import { withDatabase, partnerNamed } from './administration.js';
import { CommandFault } from './command-fault.js';
import { collect, readQuota, readSwitch } from './options.js';
import { print, printJson, printTable } from './print.js';

/** What may be given of a partner; what is not given stays as it is. */
interface Given {
  readonly name?: string;
  readonly origin?: readonly string[];
  readonly live?: boolean;
  readonly kycTrusted?: boolean;
  readonly entitlement?: readonly string[];
  readonly quota?: number | 'none';
}

export function addPartnerCommands(gate: Command): void {
  const partners = gate.command('partners').description('The teams that embed the checkout');

  partners
    .command('list')
    .option('--json', 'everything, as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const all = await withDatabase(({ operator }) => operator.partners());
      if (json === true) return printJson(all);
      printTable(
        ['ID', 'NAME', 'LIVE', 'KYC', 'ENTITLEMENTS', 'QUOTA', 'ORIGINS'],
        all.map((one) => [
          one.id,
          one.name,
          onOff(one.liveEnabled),
          onOff(one.kycTrusted),
          some(one.entitlements),
          String(one.completedSessionsQuota ?? '-'),
          some(one.allowedOrigins),
        ]),
      );
    });

  withFields(partners.command('create').description('Make a partner; prints its id'))
    .requiredOption('--name <name>', 'what it is called')
    .option('--id <id>', 'an id of your own: letters, digits, "_" and "-"')
    .action(async ({ id, ...given }: Given & { id?: string }) => {
      const fresh = { ...NOTHING, id: checkId(id ?? randomBytes(12).toString('hex')) };
      await withDatabase(async ({ admin, store }) => {
        if ((await store.findPartner(fresh.id)) !== null)
          throw new CommandFault(
            `There is a partner "${fresh.id}" already. Change it with: gate partners update ${fresh.id}`,
          );
        await admin.savePartner(changed(fresh, given));
      });
      print(fresh.id);
    });

  withFields(partners.command('update <id>').description('Change what is given; lists are replaced as a whole'))
    .option('--name <name>', 'what it is called')
    .action(async (id: string, given: Given) => {
      const next = await withDatabase(async ({ admin, store }) => {
        const partner = changed(await partnerNamed(store, id), given);
        await admin.savePartner(partner);
        return partner;
      });
      printJson(next);
    });
}

function withFields(command: Command): Command {
  return command
    .option('--origin <origin>', 'an origin whose pages may open the checkout; repeat it for more', collect)
    .option('--live <on|off>', 'whether it is cleared for live mode', readSwitch)
    .option('--kyc-trusted <on|off>', 'whether its kyc_packages are taken', readSwitch)
    .addOption(
      new Option('--entitlement <name>', 'repeat it for more')
        .choices(['swap', 'rails', 'pools', 'none'])
        .argParser(collect),
    )
    .option('--quota <number|none>', 'completed sessions in a month', readQuota);
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
    throw new CommandFault(
      `"${stranger}" is no exact origin such as "https://shop.example", without path or trailing slash.`,
    );
  const unknown = given.entitlement?.find((name) => name !== 'none' && !ENTITLEMENTS.some((known) => known === name));
  if (unknown !== undefined)
    throw new CommandFault(`"${unknown}" is no entitlement; there are ${ENTITLEMENTS.join(', ')} and none.`);
  return {
    ...partner,
    name: given.name ?? partner.name,
    allowedOrigins: given.origin ?? partner.allowedOrigins,
    liveEnabled: given.live ?? partner.liveEnabled,
    kycTrusted: given.kycTrusted ?? partner.kycTrusted,
    entitlements:
      given.entitlement === undefined
        ? partner.entitlements
        : ENTITLEMENTS.filter((name) => given.entitlement?.includes(name) ?? false),
    completedSessionsQuota: quotaOf(given.quota, partner),
  };
}

function quotaOf(given: Given['quota'], partner: Partner): number | null {
  if (given === undefined) return partner.completedSessionsQuota;
  return given === 'none' ? null : given;
}

function checkId(id: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(id)) return id;
  throw new CommandFault('An id has 1 to 64 letters, digits, "_" or "-".');
}

function onOff(is: boolean): string {
  return is ? 'on' : 'off';
}

function some(texts: readonly string[]): string {
  return texts.length === 0 ? '-' : texts.join(',');
}
