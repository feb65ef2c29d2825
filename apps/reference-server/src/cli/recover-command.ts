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
      if (json === true) return printJson(report);
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

function linesOf(report: HistoryReport): readonly string[] {
  return [
    `Held since   ${report.since}`,
    report.reason === 'unknown_history'
      ? 'Reason       the history of the database has changed, and no record of acknowledged writes exists'
      : `Reason       ${report.missing} of the last ${report.checked} acknowledged rows are missing or outdated`,
    `Last acknowledged  ${report.last_told_at ?? '-'}`,
    `Missing      from ${report.first_missing_at ?? '-'} to ${report.last_missing_at ?? '-'}`,
    ...report.examples.map(({ noun, id, partnerId, mode }) => `  ${noun} ${id} of partner ${partnerId} (${mode})`),
    'Compare these with your payment provider, then run: gate recover accept',
  ];
}
