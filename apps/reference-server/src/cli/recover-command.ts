import type { Command } from 'commander';
import { acceptHistory, readHold, type HistoryReport } from '../history/history-settings.js';
import { INSTALLATION, withDatabase } from './administration.js';
import { CommandError } from './command-error.js';
import { print, printJson } from './print.js';

/** A database that was restored or has lost commits in a failover is on hold until an operator has checked it. */
export function addRecoverCommands(gate: Command): void {
  const recover = gate.command('recover').description('Recover from a restore or a failover that lost commits');

  recover
    .command('status')
    .description('Show acknowledged writes that are missing in the database')
    .option('--json', 'print the whole report as JSON')
    .action(async ({ json }: { readonly json?: boolean }) => {
      const report = await withDatabase(({ store }) => readHold(store));
      if (json === true) return printJson(report === null ? null : wireOf(report));
      if (report === null) return print('No recovery is needed: the history of the database is unchanged.');
      for (const line of linesOf(report)) print(line);
    });

  recover
    .command('accept')
    .description('Accept the database as it is. Servers resume within a few seconds')
    .action(async () => {
      const report = await withDatabase(async ({ admin, store }) => {
        const after = await acceptHistory(store, Date.now());
        if (after !== null)
          await admin.audit.record({ ...INSTALLATION, action: 'history.accept', before: null, after: { ...after } });
        return after;
      });
      if (report === null) throw new CommandError('No recovery is needed. See: gate recover status');
      print(`Accepted. ${report.missing} acknowledged rows are given up as lost.`);
    });
}

/** The report with the names of the wire. */
function wireOf({ examples, ...report }: HistoryReport) {
  return { ...report, examples: examples.map(({ partnerId, ...row }) => ({ ...row, partner_id: partnerId })) };
}

function linesOf(report: HistoryReport): readonly string[] {
  const { last_told_at: last, first_missing_at: first, last_missing_at: end } = report;
  return [
    `Held since         ${report.since}`,
    report.reason === 'unknown_history'
      ? 'Reason             The database is another one than before, and no record of acknowledged writes exists to compare it with'
      : `Reason             ${report.missing} of the last ${report.checked} acknowledged rows are missing or outdated`,
    ...(last === null ? [] : [`Last acknowledged  ${last}`]),
    ...(first === null || end === null ? [] : [`Missing            from ${first} to ${end}`]),
    ...report.examples.map(({ noun, id, partnerId, mode }) => `  ${noun} ${id} of partner ${partnerId} (${mode})`),
    'Until you accept, no request writes, no webhook is sent and provider legs move no money.',
    'Compare the payments since the backup with your provider or processor, then run: gate recover accept',
  ];
}
