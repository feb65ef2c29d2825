import { auditEntryResource, type AuditEntry } from '@gateramp/core/domain';
import { type Command, Option } from 'commander';
import { readLimit } from './options.js';
import { actAs, withDatabase, type AuditOptions } from './administration.js';
import { moment, print, printJson, printNote, printTable } from './print.js';

interface ListOptions {
  readonly partner?: string;
  readonly request?: string;
  readonly before?: number;
  readonly limit: number;
  readonly json?: boolean;
}

/** Who changed what. */
export function addAuditCommands(gate: Command): void {
  const audit = gate.command('audit').description('List administrative changes, and verify that no entry was altered');

  audit
    .command('list')
    .description('List administrative changes, newest first')
    .option('--partner <id>', 'only changes of this partner')
    .option('--request <id>', 'only changes by this request (the x-request-id of its response)')
    .option('--before <sequence>', 'only entries before this number, to continue a page', readLimit)
    .option('--limit <n>', 'maximum, at most 500', readLimit, 50)
    .option('--json', 'print JSON')
    .action(async ({ partner, request, before, limit, json }: ListOptions) => {
      const entries = await withDatabase(({ admin }) =>
        admin.audit.list({
          limit,
          ...(partner === undefined ? {} : { partnerId: partner }),
          ...(request === undefined ? {} : { requestId: request }),
          ...(before === undefined ? {} : { before }),
        }),
      );
      printEntries(entries, json);
    });

  audit
    .command('verify')
    .description(
      'Verify that no entry is altered or missing. On failure, prints the first invalid entry and exits with 1',
    )
    .option('--json', 'print JSON')
    .action(async ({ json }: { readonly json?: boolean }) => {
      const check = await withDatabase(({ admin }) => admin.audit.verify());
      if (!check.isIntact) process.exitCode = 1;
      if (json === true) return printJson(check);
      if (!check.isIntact)
        return printNote(`The audit trail is not intact from entry ${check.sequence} on. ${check.problem}`);
      if (check.head === null) return print('The audit trail is empty.');
      print(`The audit trail is intact: ${check.head.sequence} entries, the last with digest ${check.head.digest}.`);
      printNote('Store this line elsewhere. A later trail must still contain this entry.');
    });
}

/** Prints entries as a table or as JSON. */
export function printEntries(entries: readonly AuditEntry[], json = false): void {
  if (json) return printJson(entries.map(auditEntryResource));
  printTable(
    ['NO', 'AT', 'ACTOR', 'ACTION', 'TARGET', 'PARTNER', 'MODE', 'REASON', 'REQUEST'],
    entries.map((one) => [
      String(one.sequence),
      moment(one.at),
      `${one.actor.type} ${one.actor.id}`,
      one.action,
      `${one.target.type} ${one.target.id}`,
      one.partnerId ?? '-',
      one.mode ?? '-',
      one.reason ?? '-',
      one.requestId ?? '-',
    ]),
  );
}

/** Commands that change nothing that is stored take no actor. */
const READS: readonly string[] = ['list', 'show', 'status', 'history', 'verify', 'stuck', 'oldest', 'drain'];

/** Adds `--actor` and `--reason` to every command that changes something, and passes them to the audit trail. */
export function addAuditOptions(gate: Command): void {
  for (const command of changing(gate)) {
    command.addOption(new Option('--actor <name>', 'who makes the change, for the audit trail (default: you)'));
    if (!command.options.some(({ long }) => long === '--reason'))
      command.addOption(new Option('--reason <text>', 'reason of the change, for the audit trail'));
  }
  gate.hook('preAction', (_, command) => actAs(command.opts<AuditOptions>()));
}

function changing(command: Command): readonly Command[] {
  if (command.commands.length > 0) return command.commands.flatMap(changing);
  return READS.includes(command.name()) ? [] : [command];
}
