import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';

import { slugOf } from '../../lib/slug.mjs';

// `tools/site/build.ts` sets both. The source is gone when the site is served.
const { GATERAMP_SITE_SOURCE: source, GATERAMP_SITE_OUT: outDir } = process.env;
const navigation = join(source, 'navigation.json');

export default defineConfig({
  title: 'Gateramp',
  description: 'An embeddable checkout engine for fiat↔crypto purchases.',
  lang: 'en',
  srcDir: source,
  outDir,
  cacheDir: join(source, 'cache'),
  ignoreDeadLinks: 'localhostLinks',
  // Links to a heading work here and on GitHub.
  markdown: {
    anchor: { slugify: slugOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    nav: [
      { text: 'Guides', link: '/guides/' },
      { text: 'Error codes', link: '/errors/' },
      { text: 'Playground', link: '/playground' },
      { text: 'All pages', link: '/contents' },
    ],
    sidebar: existsSync(navigation) ? JSON.parse(readFileSync(navigation, 'utf8')) : {},
    outline: [2, 3],
    search: { provider: 'local' },
  },
  // The search index of all pages, which a page loads only when it is searched.
  vite: { build: { chunkSizeWarningLimit: 2000 } },
});
