import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';

import { blocksOf, documentsOf } from '../docs.mjs';
import { readPackage, root } from '../lib/workspaces.mjs';

/** A document of the repository as a page of the site. */
export interface SitePage {
  /** Where the page is on the site: `guides/replay.md`, which is served as `guides/replay.html`. */
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

interface Document {
  readonly path: string;
  readonly text: string;
}

/** The web page of the repository, for links to files that are not pages of the site. */
const REPOSITORY = (
  readPackage(join(root, 'packages/core')).manifest as { readonly repository: { readonly url: string } }
).repository.url.replace(/^git\+|\.git$/g, '');

/** The tests that run every block of these languages on a page. */
const RUN_BY: ReadonlyArray<readonly [page: RegExp, languages: readonly string[], test: string]> = [
  [/^docs\/guides\/(?!README)/, ['ts'], 'tests/guides/test/guides.test.ts'],
  [/^docs\/first-webhook\.md$/, ['sh', 'js', 'python'], 'tests/first-webhook/test/first-webhook.test.ts'],
  [/^sdks\/node\/README\.md$/, ['ts'], 'sdks/node/test/readme.test.ts'],
  [/^sdks\/python\/README\.md$/, ['python'], 'sdks/python/tests/server/test_readme.py'],
];

/** The documents that the site shows: all that `npm run docs` checks, and two that it does not. */
export function siteDocuments(): readonly Document[] {
  const more = ['CHANGELOG.md', 'SECURITY.md', 'examples/README.md'];
  return [...documentsOf(root), ...more.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))];
}

/** The page of a document on the site. */
export function sitePathOf(path: string): string {
  if (path === 'README.md') return 'index.md';
  if (path === 'docs/README.md') return 'contents.md';
  const inSite = path.replace(/^docs\//, '');
  if (!inSite.includes('/')) return inSite.toLowerCase();
  return inSite === 'guides/README.md' || inSite === 'examples/README.md'
    ? inSite.replace('README', 'index')
    : inSite.replace('/README.md', '.md');
}

/** Renders a document for the site: its links lead to pages or into the repository, and its code says which test runs it. */
export function pageOf(document: Document, pages: ReadonlySet<string>): SitePage {
  const path = sitePathOf(document.path);
  const stamps = stampsOf(document);
  let fenced = false;
  const lines = document.text.split('\n').flatMap((line, index) => {
    if (line.startsWith('```')) fenced = !fenced;
    else if (!fenced && /^<!-- (?:context|file|continues)\b.*-->$/.test(line)) return [];
    else if (!fenced) return [withSiteLinks(line, document.path, path, pages)];
    const stamp = stamps.get(index + 1);
    return stamp === undefined ? [line] : [line, '', stamp];
  });
  return { path, title: titleOf(document.text), text: lines.join('\n') };
}

export const titleOf = (text: string): string => (/^# (.+)$/m.exec(text)?.[1] ?? '').replaceAll('`', '');

/** The notes below the code blocks of a document, by the number of the line that closes the block. */
function stampsOf(document: Document): ReadonlyMap<number, string> {
  return new Map(
    blocksOf(document).flatMap(({ language = '', code, line, marker, names }) => {
      const stamp = stampOf(document.path, language, marker === 'file' ? names : null);
      return stamp === null ? [] : [[line + code.split('\n').length, stamp] as const];
    }),
  );
}

function stampOf(path: string, language: string, copied: string | null): string | null {
  const [, , test = null] = RUN_BY.find(([page, languages]) => page.test(path) && languages.includes(language)) ?? [];
  if (test !== null) return `*Tested: [${test}](${inRepository(test)}) runs it as printed.*`;
  if (copied !== null) return `*Tested: a copy of [${copied}](${inRepository(copied)}), which tests run.*`;
  return language === 'ts' ? '*Compiled against the source by `npm run docs`.*' : null;
}

function inRepository(path: string): string {
  const kind = statSync(join(root, path)).isDirectory() ? 'tree' : 'blob';
  return `${REPOSITORY}/${kind}/main/${path}`;
}

function withSiteLinks(line: string, from: string, page: string, pages: ReadonlySet<string>): string {
  const moved = (target: string): string => siteLink(target, from, page, pages);
  const [label = '', definition] = /^\[[^\]]+\]:\s+(\S+)$/.exec(line) ?? [];
  if (definition !== undefined) return label.replace(definition, moved(definition));
  return line
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replace(/(?<=\]\()[^)\s]+(?=\))/g, moved)))
    .join('');
}

/** The link from a page of the site that leads where `target` led in the repository. */
function siteLink(target: string, from: string, page: string, pages: ReadonlySet<string>): string {
  const [relative = '', anchor] = target.split('#');
  if (relative === '' || /^\w+:/.test(relative)) return target;
  const file = posix.join(posix.dirname(from), relative).replace(/\/$/, '');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  const to =
    file === DECISIONS
      ? 'decisions/index.md'
      : sitePathOf(existsSync(join(root, file, 'README.md')) ? `${file}/README.md` : file);
  if (/\.png$/.test(file)) return `/${file.replace(/^docs\//, '')}`;
  if (!pages.has(to)) return `${inRepository(file)}${hash}`;
  const between = posix.relative(posix.dirname(page), to);
  return `${between.startsWith('.') ? between : `./${between}`}${hash}`;
}

const DECISIONS = 'docs/decisions';

/** The decisions, with an index that docs/decisions does not need: there, the names of the files are one. */
export function decisionIndex(pages: readonly SitePage[]): SitePage {
  const decisions = pages.filter(({ path }) => /^decisions\/\d/.test(path));
  const rows = decisions.map(({ path, title }) => `- [${title}](./${posix.basename(path)})`);
  const text = ['# Decisions', '', 'Why it is built this way, one note for each choice.', '', ...rows, ''].join('\n');
  return { path: 'decisions/index.md', title: 'Decisions', text };
}
