import type { Command } from 'commander';
import { acceptHistory, readHold, type HistoryReport } from '../history/history-settings.js';
import { INSTALLATION, withDatabase } from './administration.js';
import { CommandError } from './command-error.js';
import { confirm, withChangeOptions, YES_OPTION, type ChangeOptions, type Confirmation } from './confirm.js';
import { print, printNote, printResult } from './print.js';

/** A database that was restored or has lost commits in a failover is on hold until an operator has checked it. */
export function addRecoverCommands(gate: Command): void {
  const recover = gate.command('recover').description('Recover from a restore or a failover that lost commits');

  recover
    .command('status')
    .description('Show acknowledged writes that are missing in the database')
    .option('--all', `list all missing rows instead of the newest ${LISTED_MAX}; --json always does`)
    .action(async ({ all = false }: { readonly all?: boolean }) => {
      const report = await withDatabase(({ store }) => readHold(store));
      printResult(report);
      if (report === null) return print('No recovery is needed: the history of the database is unchanged.');
      const listed = all ? report.examples : report.examples.slice(-LISTED_MAX);
      for (const line of linesOf(report, listed)) print(line);
      if (listed.length < report.examples.length)
        printNote(
          `Only the newest ${listed.length} of ${report.missing} missing rows are listed. Pass --all, or --json.`,
        );
    });

  withChangeOptions(recover.command('accept'))
    .description('Accept the database as it is. Servers resume within a few seconds')
    .option(...YES_OPTION)
    .action(async ({ dryRun = false, ...options }: ChangeOptions & Confirmation) => {
      const report = await withDatabase(async ({ admin, store }) => {
        const held = await readHold(store);
        if (held === null) throw new CommandError('No recovery is needed. See: gate recover status');
        if (dryRun) return held;
        await confirm(`${consequenceOf(held)} Servers resume writes, webhooks and payments.`, options);
        const after = await acceptHistory(store, Date.now());
        if (after === null) throw new CommandError('It was accepted in the meantime. See: gate recover status');
        await admin.audit.record({ ...INSTALLATION, action: 'history.accept', before: null, after: { ...after } });
        return after;
      });
      printResult({ ...report, isDryRun: dryRun });
      if (dryRun) {
        print(consequenceOf(report));
        return printNote('Nothing was changed.');
      }
      print(`Accepted. ${report.missing} acknowledged rows are given up as lost.`);
    });
}

/** The maximum number of rows that are listed without `--all`. */
const LISTED_MAX = 100;

function consequenceOf({ reason, missing }: HistoryReport): string {
  return reason === 'unknown_history'
    ? 'An unknown number of acknowledged rows will be given up as lost.'
    : `${missing} acknowledged rows will be given up as lost.`;
}

function linesOf(report: HistoryReport, listed: HistoryReport['examples']): readonly string[] {
  const { last_told_at: last, first_missing_at: first, last_missing_at: end } = report;
  return [
    `Held since         ${report.since}`,
    `Reason             ${reasonOf(report)}`,
    ...(last === null ? [] : [`Last acknowledged  ${last}`]),
    ...(first === null || end === null ? [] : [`Missing            from ${first} to ${end}`]),
    ...listed.map(({ noun, id, partnerId, mode }) => `  ${noun} ${id} of partner ${partnerId} (${mode})`),
    ...(report.missing > 0 && report.missing === report.checked
      ? ['All rows that were checked are missing, so older ones may be missing too.']
      : []),
    'Until you accept, no request writes, no webhook is sent and provider legs move no money.',
    'Compare the payments since the backup with your provider or processor, then run: gate recover accept',
  ];
}

function reasonOf({ reason, missing, checked, identity }: HistoryReport): string {
  if (reason === 'rows_missing') return `${missing} of the last ${checked} acknowledged rows are missing or outdated`;
  const unknown =
    'The database is another one than before, and no record of acknowledged writes exists to compare it with';
  return identity?.startsWith('folder:') === true
    ? `${unknown}. To list the missing rows, stop the server, copy told.json from the previous folder into this one, and start again`
    : unknown;
}
