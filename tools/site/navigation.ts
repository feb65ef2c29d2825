import { posix } from 'node:path';

import type { SitePage } from './pages.js';

/** A section of the navigation, with its pages. */
export interface Section {
  readonly title: string;
  readonly entries: readonly Entry[];
}

interface Entry {
  readonly path: string;
  readonly title: string;
  readonly about: string;
  readonly children: readonly Entry[];
}

/** Sections that are shown only on their own pages, since each has dozens. */
const OWN_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  Packages: ['/packages/', '/sdks/', '/apps/', '/examples/'],
  Decisions: ['/decisions/'],
  'Error codes': ['/errors/'],
};

/** The sections of docs/README.md, and two for the pages of folders that it names as a whole. */
export function sectionsOf(pages: readonly SitePage[]): readonly Section[] {
  const find = (path: string): SitePage => {
    const page = pages.find((one) => one.path === path);
    if (page === undefined) throw new Error(`There is no page ${path}.`);
    return page;
  };
  const guides = tablesOf(find('guides/index.md')).flatMap(({ entries }) => entries);
  const named = tablesOf(find('contents.md')).map(({ title, entries }) => ({
    title,
    entries: entries.map((entry) => (entry.path === 'guides/index.md' ? { ...entry, children: guides } : entry)),
  }));
  return [...named, folderOf('Error codes', 'errors', pages), folderOf('Decisions', 'decisions', pages)];
}

function folderOf(title: string, folder: string, pages: readonly SitePage[]): Section {
  const inside = pages.filter(({ path }) => path.startsWith(`${folder}/`)).toSorted(indexFirst);
  return { title, entries: inside.map((page) => ({ ...page, about: '', children: [] })) };
}

const indexFirst = (one: SitePage, other: SitePage): number =>
  Number(other.path.endsWith('/index.md')) - Number(one.path.endsWith('/index.md'));

/** The pages that the tables of a page link to, by heading. */
function tablesOf({ path, text }: SitePage): readonly Section[] {
  return text
    .split(/^## /m)
    .map((part) => {
      const [title = '', ...lines] = part.split('\n');
      return { title, entries: lines.flatMap((line) => entriesIn(line, path)) };
    })
    .filter(({ entries }) => entries.length > 0);
}

function entriesIn(row: string, page: string): readonly Entry[] {
  const cells = row.split(/ *(?<!\\)\| */).slice(1, -1);
  return cells.flatMap((cell, index) =>
    [...cell.matchAll(/\[([^\]]+)\]\((\.[^)#]*\.md)\)/g)].map(([, title = '', to = '']) => ({
      path: posix.join(posix.dirname(page), to),
      title,
      about: cells[1 - index] ?? '',
      children: [],
    })),
  );
}

interface NavItem {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly NavItem[];
}

/** The sidebars, as VitePress takes them: by the beginning of an address. */
export function navigationOf(sections: readonly Section[]): Readonly<Record<string, readonly NavItem[]>> {
  const own = sections.filter(({ title }) => title in OWN_FOLDERS);
  const common = sections.filter(({ title }) => !(title in OWN_FOLDERS)).map(groupOf);
  const more = {
    text: 'More',
    items: own.map(({ title, entries }) => ({ text: title, link: startOf(title, entries) })),
  };
  const special = own.flatMap((section) =>
    (OWN_FOLDERS[section.title] ?? []).map((folder) => [folder, [groupOf(section), ...common, more]] as const),
  );
  return Object.fromEntries<readonly NavItem[]>([...special, ['/', [...common, more]]]);
}

const groupOf = ({ title, entries }: Section): NavItem => ({ text: title, items: entries.map(itemOf) });

function itemOf({ title, path, children }: Entry): NavItem {
  const item = { text: title, link: `/${path}` };
  return children.length === 0 ? item : { ...item, items: children.map(itemOf) };
}

/** The page on which a section begins: its own index, or the table that names its pages. */
function startOf(title: string, [first]: readonly Entry[]): string {
  return first?.path.endsWith('/index.md') === true ? `/${first.path}` : `/contents.md#${title.toLowerCase()}`;
}

/** An index of the site for language models, in the form of https://llmstxt.org. */
export function llmsText(sections: readonly Section[]): string {
  const lines = sections.flatMap(({ title, entries }) => [
    `## ${title}`,
    '',
    ...entries.flatMap((entry) => [entry, ...entry.children]).map(llmsLine),
    '',
  ]);
  return [
    '# Gateramp',
    '',
    '> An embeddable checkout engine for fiat↔crypto purchases. Every page of this site is also served as Markdown, at its address with `.md`.',
    '',
    ...lines,
  ].join('\n');
}

const llmsLine = ({ title, path, about }: Entry): string => `- [${title}](/${path})${about === '' ? '' : `: ${about}`}`;
