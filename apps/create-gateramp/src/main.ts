#!/usr/bin/env node
import { relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { createProject } from './create-project.js';
import { HELP, optionsOf, templateOf, TEMPLATES, UsageError, type Template } from './options.js';

const TRIES = {
  shop: 'npm run dev        # then open http://127.0.0.1:3000',
  tests: 'npm test           # then open test/orders.test.ts',
};

async function main(args: readonly string[]): Promise<void> {
  const options = optionsOf(args);
  if (options === 'help') return void process.stdout.write(HELP);
  const folder = resolve(options.folder ?? (await ask('Folder of the project', 'my-shop')));
  const template = options.template ?? (await askTemplate());
  createProject({ folder, template, packs: options.packs === null ? null : resolve(options.packs) });
  const place = relative('', folder);
  process.stdout.write(`
Created ${place === '' ? 'the project' : place} from the template ${template}. README.md says what is in it.

${place === '' ? '' : `  cd ${place}\n`}  npm install
  ${template === 'tests-only' ? TRIES.tests : TRIES.shop}
`);
}

async function askTemplate(): Promise<Template> {
  const names = Object.keys(TEMPLATES);
  const list = names.map((name, index) => `  ${index + 1} ${name}`).join('\n');
  const answer = await ask(`Template\n${list}\nNumber or name`, 'express');
  return templateOf(names[Number(answer) - 1] ?? answer);
}

async function ask(question: string, suggested: string): Promise<string> {
  if (!process.stdin.isTTY)
    throw new UsageError('Pass a folder and --template <name>, or run this in a terminal. See --help.');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = (await terminal.question(`${question} (${suggested}): `)).trim();
    return answer === '' ? suggested : answer;
  } finally {
    terminal.close();
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
