import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { buildToPack } from '../../tools/pack.mjs';
import { isKept, keep } from './kept.js';
import { isThere, nodeProgram, supportedNodes } from './nodes.js';
import { compile, install, runNode } from './project.js';
import { checkContents, checkTypes, lint, tarballsOf, type Workspace } from './tarballs.js';
import { reportAndExit, step } from '../../tools/lib/steps.mjs';
import { oldestNode } from '../../tools/lib/workspaces.mjs';

/**
 * Tests the packages as a user installs them: each is built with declarations, packed, checked, and installed from its tarball
 * outside the workspace. There the programs of `tests/consumers` run, including those of the README: type-checked ES modules, unit
 * tests under Jest, a process with both module formats of every package, and an app that is deployed without the clone. They run on
 * every supported Node; with `short` on this one and the oldest.
 */
async function checkAsConsumer(short: boolean): Promise<void> {
  const packages: readonly Workspace[] = await buildToPack();
  const folder = mkdtempSync(join(tmpdir(), 'gateramp-consumer-'));
  try {
    const packs = join(folder, 'tarballs');
    const tarballs = await say('pack', () => tarballsOf(packages, packs));
    await say('files of each tarball, publint, attw', async () => {
      checkContents(tarballs);
      await lint(tarballs);
      await checkTypes(tarballs);
    });
    const project = join(folder, 'project');
    await say('install the tarballs', () => install(project, tarballs));
    const compilers = await compilersFor(short);
    await say(`type-check as a consumer${short ? '' : ', with TypeScript 5 and 6'}`, () => compile(project, compilers));
    for (const node of await nodesToRun(short)) await runAll(project, node);
    await deployApp(folder, packs);
    await createApps(folder, packs, short);
    if (short) return;
    await sellOnOthers(project);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Folder, arguments. */
const RUNS: readonly (readonly [folder: string, args: readonly string[]])[] = [
  ['shop', ['serve.js', 'express']],
  ['shop', ['serve.js', 'fastify']],
  ['shop', ['in-process.js']],
  ['shop', ['kept.js']],
  ['shop', ['--test', 'checkout.test.js', 'sdk.test.js']],
  ['copies', ['--test', 'copies.test.cjs']],
  ['copies', ['--enable-source-maps', '--test', 'traces.test.mjs']],
  ['jest', ['../node_modules/jest/bin/jest.js']],
  ['every', ['every.mjs']],
  ['every', ['every.cjs']],
  ['strict', ['engine.mjs']],
  ['strict', ['sdk.mjs']],
  ['strict', ['sdk.cjs']],
  ['strict', ['widget.mjs']],
  ['strict', ['widget.cjs']],
  ['strict', ['../node_modules/.bin/gateramp', 'deliveries', '--help']],
];

/** An app that is tested, built for production, and copied without the clone, like into an image. */
async function deployApp(folder: string, packs: string): Promise<void> {
  const { buildApp, copyApp, installApp, testApp, visitApp } = await import('./app.js');
  const [app, copy] = [join(folder, 'app'), join(folder, 'image')];
  await say('install an app', () => installApp(app, packs));
  await say('its tests, with Vitest', () => testApp(app));
  await say('its page, with Vite and React', () => buildApp(app));
  await say('install a copy of it without what it is developed with', () => copyApp(app, copy));
  await say('run the copy and open its page', () => visitApp(copy));
}

/** The Node SDK on other runtimes. */
async function sellOnOthers(project: string): Promise<void> {
  const { RUNTIMES, sellOn } = await import('./runtimes.js');
  for (const runtime of RUNTIMES) await say(`sell on ${runtime.title}`, () => sellOn(runtime, project));
}

/** Projects of `npm create gateramp`; that on Next.js, whose installation takes 340 MB, not in the short form. */
async function createApps(folder: string, packs: string, short: boolean): Promise<void> {
  const created = await import('./created.js');
  const create = async (template: string): Promise<string> => {
    const app = join(folder, `shop-${template}`);
    await say(`create and install a project: ${template}`, () => created.createApp(template, app, packs));
    await say('type-check it', () => created.runScript(app, 'typecheck'));
    return app;
  };
  const tests = await create('tests-only');
  await say('run its tests', () => created.runScript(tests, 'test'));
  const [express, fastify] = [created.shopOnNode(await create('express')), created.shopOnNode(await create('fastify'))];
  await say('buy from the shop on Express in a browser, on its gate in memory', () => created.buyInBrowser(express));
  await say('buy from the shop on Fastify, on its gate in memory', () => created.buyInMemory(fastify));
  await say('buy from the shop on Express, on the reference server', () => created.buyOnServer(express));
  await say('buy from the shop on Fastify, on the reference server', () => created.buyOnServer(fastify));
  if (short) return;
  const next = created.shopOnNext(await create('next'));
  await say('buy from the shop on Next.js in a browser, on its gate in memory', () => created.buyInBrowser(next));
  await say('build it', () => created.buildNext(next.folder));
  await say('buy from it, on the reference server', () => created.buyOnServer(next));
}

interface NodeToRun {
  readonly version: string;
  readonly program: string;
}

async function runAll(project: string, { version, program }: NodeToRun): Promise<void> {
  await say(`run ${RUNS.length} programs on Node ${version}`, async () => {
    for (const [folder, args] of RUNS) await runNode(program, join(project, folder), args);
  });
}

/** A version that cannot be fetched fails the full form. The short form, which must work offline, reports it and continues. */
async function nodesToRun(short: boolean): Promise<NodeToRun[]> {
  const versions = short ? new Set([process.versions.node, oldestNode()]) : supportedNodes();
  const found: NodeToRun[] = [];
  for (const version of versions) {
    const fetching = isThere(version) ? nodeProgram(version) : say(`fetch Node ${version}`, () => nodeProgram(version));
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

/** The workspace's own compiler comes last, because its output is what runs. */
async function compilersFor(short: boolean): Promise<readonly string[]> {
  const own = 'node_modules/typescript/bin/tsc';
  if (short) return [own];
  const before = { name: 'typescript', version: '5.9.3' };
  const fetching = isKept(before) ? keep(before) : say(`fetch TypeScript ${before.version}`, () => keep(before));
  return [join(await fetching, 'node_modules/typescript/bin/tsc'), own];
}

/** On stdout, where `npm test` prints its own steps. */
const say = <T>(title: string, work: () => T | Promise<T>): Promise<T> =>
  step(title, work, (line) => process.stdout.write(line));

await checkAsConsumer(process.argv.includes('--short')).catch(reportAndExit);
