import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { npm } from '../../tools/lib/npm.mjs';
import { PlainError } from '../../tools/lib/steps.mjs';

/** A package of the npm registry at one version. */
export interface Pinned {
  readonly name: string;
  readonly version: string;
}

const keptIn = ({ name, version }: Pinned): string =>
  join(tmpdir(), `gateramp-${name.replaceAll(/[^\w.-]+/g, '-')}-${version}`);

/** Whether it is available offline. */
export const isKept = (pinned: Pinned): boolean => existsSync(keptIn(pinned));

/** The folder whose `node_modules` has it. Kept in the temporary folder, so it is fetched once per machine. */
export async function keep(pinned: Pinned): Promise<string> {
  const home = keptIn(pinned);
  if (!existsSync(home)) await fetchInto(home, `${pinned.name}@${pinned.version}`);
  return home;
}

const NPM_FLAGS = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/** Written to a draft folder first, so that an interrupted fetch, or two at once, leave no partial result. */
async function fetchInto(home: string, spec: string): Promise<void> {
  mkdirSync(tmpdir(), { recursive: true });
  const draft = mkdtempSync(`${home}-draft-`);
  try {
    await npm(['install', spec, '--prefix', draft, ...NPM_FLAGS], draft).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new PlainError(`${spec} could not be fetched from the npm registry. Is it reachable?\n${reason}`);
    });
    try {
      renameSync(draft, home);
    } catch (error) {
      if (!existsSync(home)) throw error;
    }
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
