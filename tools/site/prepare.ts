import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { root } from '../lib/workspaces.mjs';
import { errorPages } from './error-pages.js';
import { llmsText, navigationOf, sectionsOf } from './navigation.js';
import { decisionIndex, pageOf, siteDocuments, sitePathOf, titleOf, type SitePage } from './pages.js';

/** Writes the Markdown of every page, and what goes with it, to a folder, as VitePress reads it. */
export function prepare(folder: string): readonly SitePage[] {
  const pages = allPages();
  const sections = sectionsOf(pages);
  const write = (path: string, text: string): void => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  for (const { path, text } of pages) write(path, text);
  write('public/llms.txt', llmsText(sections));
  write('navigation.json', JSON.stringify(navigationOf(sections)));
  cpSync(join(root, 'docs/pictures'), join(folder, 'public/pictures'), { recursive: true });
  return pages;
}

function allPages(): readonly SitePage[] {
  const documents = siteDocuments();
  const errors = errorPages();
  const paths = [...documents, ...errors].map(({ path }) => sitePathOf(path));
  const pages = documents.map((document) => pageOf(document, new Set([...paths, 'decisions/index.md'])));
  return [...pages, decisionIndex(pages), ...errors, playgroundPage()];
}

function playgroundPage(): SitePage {
  const text = readFileSync(join(root, 'tools/site/playground/page.md'), 'utf8');
  return { path: 'playground.md', title: titleOf(text), text };
}
