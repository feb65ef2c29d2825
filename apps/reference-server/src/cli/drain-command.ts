import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { cliOpsUrlOfProcess } from '../config/cli-config.js';
import type { WorkerState } from '../worker-control.js';
import { CommandError } from './command-error.js';
import { confirm, YES_OPTION, type Confirmation } from './confirm.js';
import { readDuration } from './options.js';
import { print, printResult, printNote } from './print.js';

interface Given extends Confirmation {
  readonly ops: string;
  readonly resume?: boolean;
  readonly wait: number;
  readonly dryRun?: boolean;
}

const POLL_MS = 250;
const ANSWER_MAX_MS = 5_000;

/** Drains the worker of one running process, through its operators' port. Needs no database. */
export function addDrainCommand(gate: Command): void {
  gate
    .command('drain')
    .description(
      'Stop the worker of a running process and wait for its running work. The process keeps serving requests',
    )
    .option('--ops <url>', "URL of the operators' port (GATE_OPS_PORT) of the process", cliOpsUrlOfProcess())
    .option('--resume', 'start the worker again')
    .option('--wait <time>', 'how long to wait for running work', readDuration, 60_000)
    .option('--dry-run', 'print the state of the worker without changing it')
    .option(...YES_OPTION)
    .action(async (given: Given) => {
      const worker = await drain(given);
      printResult({ ops: given.ops, worker });
      print(`The worker is ${worker}.`);
    });
}

async function drain(given: Given): Promise<WorkerState> {
  const { ops, resume = false, wait, dryRun = false } = given;
  const state = await stateOf(ops);
  if (state === 'none')
    throw new CommandError(`The process at ${ops} only serves requests (GATE_ROLE=api); it has no worker.`);
  if (dryRun) {
    printNote('Nothing was changed.');
    return state;
  }
  if (resume) {
    await ask(ops, '/resume', 'POST');
    return stateOf(ops);
  }
  await confirm(
    `The process at ${ops} will not deliver webhooks or settle payments until it is resumed or restarted.`,
    given,
  );
  await ask(ops, '/drain', 'POST');
  const until = performance.now() + wait;
  for (let now = await stateOf(ops); ; now = await stateOf(ops)) {
    if (now === 'drained') return now;
    if (now === 'working') throw new CommandError('The worker was resumed while it was draining.');
    if (performance.now() > until)
      throw new CommandError(
        'Work is still running. The worker claims no new work; run this again to wait for the rest.',
      );
    await setTimeout(POLL_MS);
  }
}

/** `/ready` answers 503 while the process is not ready, with the same body. */
async function stateOf(ops: string): Promise<WorkerState> {
  const { worker } = (await ask(ops, '/ready', 'GET')) as { readonly worker?: WorkerState };
  if (worker === undefined) throw new CommandError(`${ops} is not the operators' port of this version's server.`);
  return worker;
}

async function ask(ops: string, path: string, method: 'GET' | 'POST'): Promise<unknown> {
  try {
    const answer = await fetch(new URL(path, ops), { method, signal: AbortSignal.timeout(ANSWER_MAX_MS) });
    return await answer.json();
  } catch {
    throw new CommandError(
      `No answer from ${ops}. Pass the operators' port of the running process with --ops, or send the process SIGUSR2.`,
    );
  }
}
