import { createInterface } from 'node:readline/promises';
import { escapeUnprintable } from '@gateramp/core/domain';
import type { Command } from 'commander';
import { CommandError, UsageError } from './command-error.js';

export interface Confirmation {
  readonly yes?: boolean;
}

/** The option that skips the confirmation, for all commands that ask. */
export const YES_OPTION = ['--yes', 'skip the confirmation; required without a terminal'] as const;

/** The options of a change that needs no confirmation, because it is undone as easily. */
export interface ChangeOptions {
  readonly dryRun?: boolean;
}

export function withChangeOptions(command: Command): Command {
  return command.option('--dry-run', 'print the current state without changing anything');
}

/** Asks for confirmation before an operation that loses data or stops a partner. Throws unless the answer is yes. */
export async function confirm(consequence: string, { yes = false }: Confirmation): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY) throw new UsageError(`${consequence} Nothing was changed. Pass --yes to confirm.`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    const question = `${escapeUnprintable(consequence)} Continue? [y/N] `;
    const answer = await Promise.race([lines.question(question), closed]);
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('Nothing was changed.');
  } finally {
    lines.close();
  }
}
