import { auditEntryResource, type AuditEntry, type AuditHead } from '@gateramp/core/domain';
import { type Command, InvalidArgumentError } from 'commander';
import { type Moment, readLimit, readPast } from './options.js';
import { withDatabase } from './administration.js';
import { moment, print, printResult, printNote, printTable } from './print.js';

interface ListOptions {
  readonly partner?: string;
  readonly request?: string;
  readonly action?: string;
  readonly actor?: string;
  readonly from?: Moment;
  readonly to?: Moment;
  readonly before?: number;
  readonly limit: number;
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
    .action(async ({ partner, request, from, to, ...page }: ListOptions) => {
      const entries = await withDatabase(({ admin, clock }) =>
        admin.audit.list({
          ...page,
          ...(partner === undefined ? {} : { partnerId: partner }),
          ...(request === undefined ? {} : { requestId: request }),
          ...(from === undefined ? {} : { from: from(clock.wall()) }),
          ...(to === undefined ? {} : { to: to(clock.wall()) }),
        }),
      );
      printEntries(entries);
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
    .action(async ({ atLeast }: { readonly atLeast?: AuditHead }) => {
      const check = await withDatabase(({ admin }) => admin.audit.verify(atLeast === undefined ? {} : { atLeast }));
      if (!check.isIntact) process.exitCode = 1;
      printResult(check);
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
      printResult({ accepted: true });
      print('Accepted. Servers remember the end of the trail from here on.');
    });
}

/** Prints entries as a table or as JSON. */
export function printEntries(entries: readonly AuditEntry[]): void {
  printResult(entries.map(auditEntryResource));
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
