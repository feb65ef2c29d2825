import { auditEntryResource, type AuditEntry, type AuditHead } from '@gateramp/core/domain';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Moment, readLimit, readPast } from './options.js';
import { actAs, withDatabase, type AuditOptions } from './administration.js';
import { moment, print, printJson, printNote, printTable } from './print.js';

interface ListOptions {
  readonly partner?: string;
  readonly request?: string;
  readonly action?: string;
  readonly actor?: string;
  readonly from?: Moment;
  readonly to?: Moment;
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
    .option('--action <action>', 'only an action such as key.issue, or all of a noun: key')
    .option('--actor <id>', 'only what this person, key or access changed')
    .option('--from <time>', 'first time, inclusive: a day, a time, or a duration ago', readPast)
    .option('--to <time>', 'last time, exclusive', readPast)
    .option('--before <sequence>', 'only entries before this number, to continue a page', readLimit)
    .option('--limit <n>', 'maximum, at most 500', readLimit, 50)
    .option('--json', 'print JSON')
    .action(async ({ partner, request, from, to, json, ...page }: ListOptions) => {
      const entries = await withDatabase(({ admin, clock }) =>
        admin.audit.list({
          ...page,
          ...(partner === undefined ? {} : { partnerId: partner }),
          ...(request === undefined ? {} : { requestId: request }),
          ...(from === undefined ? {} : { from: from(clock.wall()) }),
          ...(to === undefined ? {} : { to: to(clock.wall()) }),
        }),
      );
      printEntries(entries, json);
    });

  audit
    .command('verify')
    .description(
      'Verify that no entry is altered or missing. On failure, prints the first invalid entry and exits with 1',
    )
    .option(
      '--at-least <sequence.digest>',
      'also verify that the trail contains this entry, which an earlier check or the alarm audit_set_back printed',
      readHead,
    )
    .option('--json', 'print JSON')
    .action(async ({ atLeast, json }: { readonly atLeast?: AuditHead; readonly json?: boolean }) => {
      const check = await withDatabase(({ admin }) => admin.audit.verify(atLeast === undefined ? {} : { atLeast }));
      if (!check.isIntact) process.exitCode = 1;
      if (json === true) return printJson(check);
      if (!check.isIntact) {
        const from = check.sequence === null ? 'complete' : `intact from entry ${check.sequence} on`;
        return printNote(`The audit trail is not ${from}. ${check.problem}`);
      }
      if (check.head === null) return print('The audit trail is empty.');
      print(`The audit trail is intact: ${check.head.sequence} entries, the last with digest ${check.head.digest}.`);
      printNote(
        `Store this elsewhere, for a later check: gate audit verify --at-least ${check.head.sequence}.${check.head.digest}`,
      );
    });

  audit
    .command('accept')
    .description('Accept a trail that was set back, such as by a restore: ends the alarm audit_set_back')
    .action(async () => {
      await withDatabase(({ admin }) => admin.audit.accept());
      print('Accepted. Servers remember the end of the trail from here on.');
    });
}

/** Prints entries as a table or as JSON. */
export function printEntries(entries: readonly AuditEntry[], json = false): void {
  if (json) return printJson(entries.map(auditEntryResource));
  printTable(
    ['NO', 'AT', 'ACTOR', 'ACTION', 'TARGET', 'PARTNER', 'MODE', 'REASON', 'REQUEST', 'CHANGES'],
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
      changesOf(one),
    ]),
  );
}

/** `url: https://a.example → https://b.example`, of created and removed rows without the other side. */
function changesOf({ changes = [] }: AuditEntry): string {
  const texts = changes.map(({ member, before, after }) =>
    before !== null && after !== null ? `${member}: ${before} → ${after}` : `${member}: ${after ?? `${before} → -`}`,
  );
  return texts.length === 0 ? '-' : texts.join('; ');
}

function readHead(text: string): AuditHead {
  const [, sequence, digest] = /^([1-9]\d{0,14})\.([0-9a-f]{64})$/.exec(text) ?? [];
  if (sequence === undefined || digest === undefined)
    throw new InvalidArgumentError(
      'Pass a sequence and a digest, such as 812.9f86d0…, as an earlier check printed them.',
    );
  return { sequence: Number(sequence), digest };
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
