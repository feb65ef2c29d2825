import { type Command, Option } from 'commander';
import { actAs, type AuditOptions } from './administration.js';
import { useJson } from './print.js';

/** Names of the commands that change nothing that the audit trail records. */
const READS: readonly string[] = [
  'list',
  'show',
  'status',
  'history',
  'verify',
  'stuck',
  'oldest',
  'processes',
  'drain',
  'plan',
  'trial-balance',
  'export',
  'reconcile',
];

/** Adds `--json` to every command, and `--actor` and `--reason` to every command that changes something. */
export function addCommonOptions(gate: Command): void {
  for (const command of leavesOf(gate)) {
    command.option('--json', 'print JSON');
    if (READS.includes(command.name())) continue;
    command.addOption(new Option('--actor <name>', 'who makes the change, for the audit trail (default: you)'));
    if (!command.options.some(({ long }) => long === '--reason'))
      command.addOption(new Option('--reason <text>', 'reason of the change, for the audit trail'));
  }
  gate.hook('preAction', (_, command) => {
    const { json = false, ...audit } = command.opts<AuditOptions & { readonly json?: boolean }>();
    useJson(json);
    actAs(audit);
  });
}

/** The commands that do something. */
export function leavesOf(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}
