import type { Command } from 'commander';
import { announcedProcesses, isRunning, type AnnouncedProcess } from '../monitoring/processes.js';
import { withDatabase } from './administration.js';
import { moment, printNote, printResult, printTable, span } from './print.js';

export function addProcessesCommand(work: Command): void {
  work
    .command('processes')
    .description('List the processes that use this database: role, host, version, when last seen, and leases held')
    .action(async () => {
      const { at, found } = await withDatabase(async ({ store, clock }) => {
        const at = clock.now('live');
        return { at, found: await announcedProcesses(store, at) };
      });
      printResult(found.map((one) => fieldsOf(one, at)));
      if (found.length === 0) return printNote('No process of this version has used the database within a day.');
      printTable(
        ['ROLE', 'HOST', 'PID', 'VERSION', 'STATE', 'LAST SEEN', 'LEASES', 'STARTED'],
        found.map((one) => [
          one.role,
          one.host,
          String(one.pid),
          one.version,
          stateOf(one, at),
          `${span(Math.max(0, (at - one.seen_at) / 1000))} ago`,
          String(one.leases_held),
          moment(one.started_at),
        ]),
      );
    });
}

function fieldsOf(one: AnnouncedProcess, at: number) {
  const { alarms, ...own } = one;
  return {
    ...own,
    alarms: alarms.map(({ name }) => name),
    state: stateOf(one, at),
    started_at: moment(one.started_at),
    seen_at: moment(one.seen_at),
    stopped_at: one.stopped_at === null ? null : moment(one.stopped_at),
  };
}

/** `lost`: it has not ended in order and was not seen for a while. */
function stateOf(one: AnnouncedProcess, at: number): string {
  if (one.stopped_at !== null) return 'stopped';
  return isRunning(one, at) ? 'running' : 'lost';
}
