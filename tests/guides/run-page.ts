import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { headerOf, modulesOf } from '../../tools/docs.mjs';
import { root } from '../../tools/lib/workspaces.mjs';

/** Inside the clone, so that what a block imports is found. */
const FOLDER = join(root, 'node_modules/.cache/gateramp/guides');

const MODULE_MAX_MS = 120_000;

export interface Module {
  /** `verify-a-webhook.md:14`: where its first block begins. */
  readonly name: string;
  readonly text: string;
  /** What its `console.log` lines say that they print; null where one says nothing. */
  readonly promised: readonly (string | null)[];
}

/** What a guide's blocks are when they are run: one program for each that does not continue another. */
export function modulesOfPage(page: string): readonly Module[] {
  const text = readFileSync(join(root, 'docs/guides', page), 'utf8');
  const contexts = pathToFileURL(join(root, 'tools/docs-context')).href;
  return modulesOf({ text }).map((module) => ({
    name: `${page}:${module.line}`,
    text: `${headerOf(module, contexts)}\n${module.code}\nexport {};\n`,
    promised: [...module.code.matchAll(/console\.log\(.*\);(?: \/\/ (.+))?$/gm)].map(([, says]) => says ?? null),
  }));
}

/** Runs it as its reader does, in a process of its own; answers with the lines it has printed. */
export function run(module: Module, env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, `${module.name.replace(/\W/g, '-')}.mts`);
  writeFileSync(file, module.text);
  return new Promise((resolve, reject) => {
    const options = { env: { PATH: process.env['PATH'], ...env }, timeout: MODULE_MAX_MS, cwd: root };
    execFile(
      process.execPath,
      ['--conditions=@gateramp/source', '--import', 'tsx', file],
      options,
      (error, out, err) => {
        if (error === null) resolve(out.trim().split('\n'));
        else reject(new Error(`${module.name} failed: ${err}\nIt had printed:\n${out}`, { cause: error }));
      },
    );
  });
}
