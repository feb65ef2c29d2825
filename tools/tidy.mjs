import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';

import { HITS_PER_THOUSAND_MAX, measureWords, subjectFaults } from './lib/plain-words.mjs';
import { isMain } from './lib/steps.mjs';
import { root } from './lib/workspaces.mjs';

/**
 * The tidy laws: points that a reviewer should not need to make. Each law is given one file, as `{ path, text }`, and returns its
 * complaints. Patterns use brackets (`TO[D]O`) so that this file does not break its own law.
 */
const sourceLinesMax = 400;
const commentWidthMax = 140;
const descriptionMin = 40;

const codeFile = /\.(ts|tsx|js|mjs|cjs)$/;
const textFile = /\.(ts|tsx|js|mjs|cjs|json|md|yaml|yml|py|html|css|sql|sh|toml)$|^\.ci\//;
const testFile = /(^|\/)tests?\/|\.test\.tsx?$/;
const workspaceManifest = /^(packages|sdks|apps|examples)\/[^/]+\/package\.json$/;

export const laws = {
  'source-files-are-short': ({ path, text }) => {
    const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
    return /\/src\//.test(path) && codeFile.test(path) && !path.includes('/generated/') && lines > sourceLinesMax
      ? [`${lines} lines; the limit is ${sourceLinesMax}: look for the missing noun`]
      : [];
  },

  // The formatter does not wrap comments.
  'comments-are-not-wide': ({ path, text }) =>
    codeFile.test(path) && !path.includes('/generated/')
      ? complain(
          text,
          new RegExp(`^(?=.{${commentWidthMax + 1}})\\s*(?://|/?\\*)`),
          `wrap the comment; no line of one is longer than ${commentWidthMax}`,
        )
      : [],

  'no-test-is-set-aside': ({ path, text }) =>
    testFile.test(path) || codeFile.test(path)
      ? complain(
          text,
          /\b(?:it|test|describe|suite|bench)(?:\.\w+)*\.(?:only|skip|todo)\b/,
          'every test runs: no only, skip or todo',
        )
      : [],

  'nothing-is-left-for-later': ({ path, text }) =>
    textFile.test(path)
      ? complain(text, /\b(?:TO[D]O|FIX[M]E|XX[X])\b/, 'do it, or write it down where work is planned')
      : [],

  'the-repository-stands-alone': ({ path, text }) =>
    textFile.test(path)
      ? complain(text, /\.\.\/[s]hared\b|\/[w]ork\/(?:main|shared)\b/, 'names a folder outside the repository')
      : [],

  'no-cast-to-any': ({ path, text }) =>
    /\.tsx?$/.test(path)
      ? complain(
          withoutCommentLines(text),
          /\bas a[n]y\s*(?:[;,)\].}>|&=?:]|$)/,
          'cast to a real type, with a sentence why',
        )
      : [],

  'no-silenced-compiler': ({ path, text }) =>
    codeFile.test(path)
      ? complain(
          text,
          /@ts-(?:ig[n]ore|noc[h]eck)\b/,
          'fix the type; where a test wants the error use @ts-expect-error',
        )
      : [],

  'core-has-one-writer': ({ path, text }) =>
    path.startsWith('packages/core/src/') && !path.startsWith('packages/core/src/application/commit/')
      ? complain(
          withoutCommentLines(text),
          /\.commit\b|\/commit-change\.js\b/,
          'only `execute` and `apply` of application/commit write: hand them what to load and how to decide',
        )
      : [],

  'kebab-case-names': ({ path }) => {
    const name = basename(path);
    const free = name.startsWith('.') || (extname(name) === '.md' && /^[A-Z_]+\.md$/.test(name));
    const held = codeFile.test(path) || /\.(md|css|sql|html)$/.test(path);
    return held && !free && !/^[a-z0-9]+(?:[-.][a-z0-9]+)*$/.test(name) ? [`rename ${name} to kebab-case`] : [];
  },

  'no-build-output-is-committed': ({ path }) =>
    /(^|\/)(dist|coverage|node_modules)\//.test(path) || /\.(tgz|tsbuildinfo)$/.test(path)
      ? ['remove it from the repository']
      : [],

  'every-workspace-says-what-it-is': ({ path, text }) =>
    workspaceManifest.test(path) && (JSON.parse(text).description ?? '').length < descriptionMin
      ? [`needs a "description" of at least ${descriptionMin} characters`]
      : [],

  'dependencies-are-pinned': ({ path, text }) => {
    if (path !== 'package.json' && !workspaceManifest.test(path)) return [];
    const { dependencies, devDependencies } = JSON.parse(text);
    return Object.entries({ ...dependencies, ...devDependencies })
      .filter(([, version]) => !/^(npm:\w+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      .map(([name, version]) => `${name} is "${version}": pin one exact version`);
  },
};

/** @param {Array<{ path: string, text: string }>} files */
export function faultsIn(files) {
  return files.flatMap((file) =>
    Object.entries(laws).flatMap(([law, complaints]) =>
      complaints(file).map((complaint) => ({ law, path: file.path, complaint })),
    ),
  );
}

function complain(text, pattern, complaint) {
  return text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`line ${index + 1}: ${complaint}`] : []));
}

/** Blanks comment lines, so that line numbers match. */
const withoutCommentLines = (text) => text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '');

/** Committed and staged files; outside of a git clone, all files that are not ignored. */
function filesOf(dir) {
  const paths = existsSync(join(dir, '.git')) ? gitFiles(dir) : walk(dir);
  return paths
    .filter((path) => path !== 'package-lock.json' && existsSync(join(dir, path)))
    .map((path) => ({ path, text: textFile.test(path) ? readFileSync(join(dir, path), 'utf8') : '' }));
}

const gitFiles = (dir) =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: dir,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  })
    .split('\0')
    .filter((path) => path !== '');

function walk(dir, prefix = '') {
  return readdirSync(join(dir, prefix), { withFileTypes: true }).flatMap((entry) => {
    if (['node_modules', 'dist', 'coverage', '.git'].includes(entry.name)) return [];
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    return entry.isDirectory() ? walk(dir, path) : entry.isFile() ? [path] : [];
  });
}

/** The subjects of commits since the rule on them was introduced; none if that commit is not in the clone. */
function subjectsOf(dir) {
  if (!existsSync(join(dir, '.git'))) return [];
  try {
    const range = [`${SUBJECTS_SINCE}..HEAD`, '--no-merges', '--format=%h %s'];
    return execFileSync('git', ['log', ...range], { cwd: dir, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => ({ commit: line.slice(0, line.indexOf(' ')), subject: line.slice(line.indexOf(' ') + 1) }));
  } catch {
    return [];
  }
}

const SUBJECTS_SINCE = 'af0b6ed';

function say(line) {
  process.stdout.write(`${line}\n`);
}

if (isMain(import.meta.url)) {
  const files = filesOf(root);
  const { words, hits, rate } = measureWords(files);
  const faults = [
    ...faultsIn(files),
    ...subjectsOf(root).flatMap(({ commit, subject }) =>
      subjectFaults(subject).map((complaint) => ({ law: 'commit-subjects', path: commit, complaint })),
    ),
  ];
  if (process.argv.includes('--words'))
    hits.forEach(({ path, line, found, suggestion }) => say(`${path}:${line}: "${found}": ${suggestion}`));
  faults.forEach(({ law, path, complaint }) => say(`${path}: ${complaint} (${law})`));
  say(
    `plain words: ${rate.toFixed(2)} hits per 1,000 (limit ${HITS_PER_THOUSAND_MAX}); ${hits.length} in ${words} words`,
  );
  const isPlain = rate <= HITS_PER_THOUSAND_MAX;
  if (!isPlain) say('Too many quaint turns of phrase. List them with: npm run tidy -- --words');
  process.exitCode = faults.length === 0 && isPlain ? 0 : 1;
}
