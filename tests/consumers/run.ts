import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { build } from '../../tools/build.mjs';
import { isKept, nodeProgram, supportedNodes } from './nodes.js';
import { compile, compileStrictly, install, runNode } from './project.js';
import { checkContents, checkTypes, lint, pack, publishable } from './tarballs.js';
import { reportAndExit, step } from '../../tools/lib/steps.mjs';
import { oldestNode } from '../../tools/lib/workspaces.mjs';

/**
 * What a stranger gets: every package built with declarations, packed, checked as a package, and installed from its tarball outside the
 * workspace. There the programs of `tests/consumers` are run, those of the README among them: type-checked ES modules, unit tests under Jest
 * as it comes, and one process that has both forms of every package. On every Node that is promised; `short` takes this one and the oldest.
 */
async function checkAsConsumer(short: boolean): Promise<void> {
  const packages = publishable();
  await build({ types: true, only: packages.map(({ manifest }) => manifest.name) });
  const folder = mkdtempSync(join(tmpdir(), 'gateramp-consumer-'));
  try {
    const tarballs = await say('pack', () => pack(packages, join(folder, 'tarballs')));
    await say('files of each tarball, publint, attw', async () => {
      checkContents(tarballs);
      await lint(tarballs);
      await checkTypes(tarballs);
    });
    const project = join(folder, 'project');
    await say('install the tarballs', () => install(project, tarballs));
    await say('type-check as a consumer', async () => {
      await compile(project);
      await compileStrictly(project);
    });
    for (const node of await nodesToRun(short)) await runAll(project, node);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Folder, arguments. */
const RUNS: readonly (readonly [folder: string, args: readonly string[]])[] = [
  ['shop', ['dist/serve.js', 'express']],
  ['shop', ['dist/serve.js', 'fastify']],
  ['shop', ['dist/in-process.js']],
  ['shop', ['--test', 'dist/checkout.test.js']],
  ['copies', ['--test', 'copies.test.cjs']],
  ['copies', ['--enable-source-maps', '--test', 'traces.test.mjs']],
  ['jest', ['../node_modules/jest/bin/jest.js']],
  ['strict', ['dist/sdk.mjs']],
  ['strict', ['dist/sdk.cjs']],
  ['strict', ['dist/widget.mjs']],
  ['strict', ['dist/widget.cjs']],
  ['strict', ['../node_modules/.bin/gateramp', 'deliveries', '--help']],
];

interface NodeToRun {
  readonly version: string;
  readonly program: string;
}

async function runAll(project: string, { version, program }: NodeToRun): Promise<void> {
  await say(`run ${RUNS.length} programs on Node ${version}`, async () => {
    for (const [folder, args] of RUNS) await runNode(program, join(project, folder), args);
  });
}

/** A version that cannot be fetched fails the full form; the short one, which has to do without a network, says that it goes without. */
async function nodesToRun(short: boolean): Promise<NodeToRun[]> {
  const versions = short ? new Set([process.versions.node, oldestNode()]) : supportedNodes();
  const found: NodeToRun[] = [];
  for (const version of versions) {
    const fetching = isKept(version) ? nodeProgram(version) : say(`fetch Node ${version}`, () => nodeProgram(version));
    const program = await fetching.catch((error: unknown) => {
      if (!short || !(error instanceof Error)) throw error;
      process.stderr.write(
        `  note nothing was run on Node ${version}, which npm run consumer insists on. ${error.message}\n`,
      );
      return null;
    });
    if (program !== null) found.push({ version, program });
  }
  return found;
}

/** `npm test` shows its steps between its own. */
const say = <T>(title: string, work: () => T | Promise<T>): Promise<T> =>
  step(title, work, (line) => process.stdout.write(line));

await checkAsConsumer(process.argv.includes('--short')).catch(reportAndExit);
