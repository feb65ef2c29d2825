import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

import { DEEP } from '../../tests/depth.ts';
import { root } from './workspaces.mjs';

const FOLDERS = ['packages', 'sdks', 'apps', 'examples', 'tests', 'tools'];
const SKIPPED = /^(node_modules|dist|build|\..*)$/;
const CODE = /\.(ts|tsx|mjs|js)$/;
const TEST = /\.test\.tsx?$/;
/** How a file may name another one: by an import, the URL of a program, or the path of a script. */
const NAMED = /(['"`])([^'"`\s]+)\1/g;

/**
 * The test files that run the same in a quick and in a deep run, and those that do not: a quick run leaves them out, or they lead to
 * tests/depth.ts. Every string that is the path of a file counts as a link, from its own folder or from the root, so a program that a test
 * starts counts as much as an import.
 *
 * @param {string} [from]
 * @param {readonly string[]} [deep]
 * @returns {{ readonly same: readonly string[], readonly other: readonly string[] }}
 */
export function testFilesByDepth(from = root, deep = DEEP) {
  const files = FOLDERS.flatMap((folder) => codeIn(from, folder));
  const users = usersOf(from, files);
  const readers = new Set(['tests/depth.ts']);
  // Iterating over a set also visits what is added during the iteration.
  for (const file of readers) for (const user of users.get(file) ?? []) readers.add(user);
  const isOther = (file) => readers.has(file) || deep.includes(file);
  const tests = files.filter((file) => TEST.test(file));
  return { same: tests.filter((file) => !isOther(file)), other: tests.filter(isOther) };
}

/** For each file, the files that name it. */
function usersOf(from, files) {
  const known = new Set(files);
  const users = new Map();
  for (const file of files) {
    const names = [...readFileSync(join(from, file), 'utf8').matchAll(NAMED)].map(([, , name]) => name);
    for (const target of names.flatMap((name) => pathsOf(file, name)))
      if (known.has(target)) users.set(target, [...(users.get(target) ?? []), file]);
  }
  return users;
}

function pathsOf(file, name) {
  const sources = [name, name.replace(/\.js$/, '.ts'), name.replace(/\.js$/, '.tsx')];
  return sources.flatMap((source) => [posix.join(posix.dirname(file), source), posix.normalize(source)]);
}

function codeIn(from, folder) {
  return readdirSync(join(from, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return SKIPPED.test(entry.name) ? [] : codeIn(from, path);
    return entry.isFile() && CODE.test(entry.name) ? [path] : [];
  });
}
