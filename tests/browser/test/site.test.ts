import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join, posix } from 'node:path';
import { promisify } from 'node:util';
import { STATUSES } from '@gateramp/core/http';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { documentsOf } from '../../../tools/docs.mjs';
import { root } from '../../../tools/lib/workspaces.mjs';
import { expectAccessible } from '../accessible.js';
import { openTab } from '../open-tab.js';
import { servePages, type ServedFile, type Site } from '../serve-pages.js';

const outDir = mkdtempSync(join(tmpdir(), 'gate-site-'));
afterAll(() => rmSync(outDir, { recursive: true, force: true }));

/** The files of the site by their addresses. */
const files = new Map<string, Buffer>();
const textOf = (path: string): string => files.get(path)?.toString('utf8') ?? '';
const htmlPaths = (): readonly string[] => [...files.keys()].filter((path) => path.endsWith('.html'));

beforeAll(async () => {
  const command = ['--conditions=@gateramp/source', '--import', 'tsx', 'tools/site/build.ts', '--out', outDir];
  await promisify(execFile)(process.execPath, command, { cwd: root });
  for (const entry of readdirSync(outDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    files.set(file.slice(outDir.length), readFileSync(file));
  }
});

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.png': 'image/png',
  '.json': 'application/json',
};

const serveSite = (): Promise<Site> =>
  servePages(
    Object.fromEntries(
      [...files].flatMap(([path, body]): ReadonlyArray<readonly [string, ServedFile]> => {
        const served = { body, type: TYPES[extname(path)] ?? 'text/plain; charset=utf-8' };
        return path.endsWith('/index.html')
          ? [
              [path.slice(0, -'index.html'.length), served],
              [path, served],
            ]
          : [[path, served]];
      }),
    ),
  );

const valuesOf = (html: string, attribute: string): readonly string[] =>
  [...html.matchAll(new RegExp(`\\s${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) =>
    value.replaceAll('&amp;', '&'),
  );

/** The files and anchors of the site that a page links to. */
function linksOf(path: string): ReadonlyArray<{ readonly to: string; readonly anchor: string }> {
  const html = textOf(path);
  return [...valuesOf(html, 'href'), ...valuesOf(html, 'src')]
    .filter((target) => !/^(?:https?|mailto|data):/.test(target))
    .map((target) => {
      const [relative = '', anchor = ''] = target.split('#');
      const to = relative === '' ? path : posix.join(posix.dirname(path), relative);
      const absolute = relative.startsWith('/') ? relative : to;
      return { to: absolute.endsWith('/') ? `${absolute}index.html` : absolute, anchor: decodeURIComponent(anchor) };
    });
}

it('every link leads to a file of the site, and to a heading that it has', () => {
  const dead = htmlPaths().flatMap((path) =>
    linksOf(path)
      .filter(({ to, anchor }) => !files.has(to) || (anchor !== '' && !valuesOf(textOf(to), 'id').includes(anchor)))
      .map(({ to, anchor }) => `${path}: ${to}#${anchor}`),
  );
  expect(htmlPaths().length).toBeGreaterThan(150);
  expect(dead).toEqual([]);
});

it('links lead from the first page to every other, each of which is also Markdown', () => {
  const reached = new Set(['/index.html']);
  for (const path of reached) for (const { to } of linksOf(path)) if (to.endsWith('.html')) reached.add(to);
  const pages = htmlPaths().filter((path) => path !== '/404.html');
  expect(pages.filter((path) => !reached.has(path))).toEqual([]);
  expect(pages.filter((path) => !files.has(path.replace(/html$/, 'md')))).toEqual([]);
  expect(pages.length).toBeGreaterThan(documentsOf(root).length + Object.keys(STATUSES).length);
});

it('llms.txt names pages that exist, with those of guides, decisions and errors', () => {
  const named = [...textOf('/llms.txt').matchAll(/\]\((\/[^)]+)\)/g)].map(([, path = '']) => path);
  expect(named.filter((path) => !files.has(path))).toEqual([]);
  for (const path of ['/guides/replay.md', '/decisions/index.md', '/errors/session_processing.md'])
    expect(named).toContain(path);
});

it('each error code has a page with its status', () => {
  for (const [code, status] of Object.entries(STATUSES))
    expect(textOf(`/errors/${code}.md`)).toContain(`- Status: ${status}\n`);
  expect(textOf('/errors/session_not_open.md')).toContain('`POST /v1/gate_sessions/{id}/cancel`');
});

it('code names the test that runs it', () => {
  expect(textOf('/index.md')).toMatch(
    /^\*Tested: a copy of \[tests\/consumers\/shop\/gate\.ts\]\(https:\S+\), which tests run\.\*$/m,
  );
  expect(textOf('/guides/replay.md')).toMatch(/^\*Tested: \[tests\/guides\S+ runs it as printed\.\*$/m);
  expect(textOf('/guides/replay.md')).not.toContain('<!--');
});

it.each(['light', 'dark'] as const)(
  'pages are accessible in %s mode, wide and narrow, and load nothing from elsewhere',
  async (colorScheme) => {
    const site = await serveSite();
    for (const width of [1280, 390]) {
      const { page } = await openTab({ colorScheme, viewport: { width, height: 900 } });
      const foreign: string[] = [];
      page.on('request', (request) => void (request.url().startsWith(site.origin) || foreign.push(request.url())));
      for (const path of [
        '/',
        '/guides/verify-a-webhook.html',

        '/errors/session_processing.html',
      ]) {
        await page.goto(site.origin + path, { waitUntil: 'networkidle' });
        await expectAccessible(page);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(overflow, `${path} at ${width} px`).toBeLessThanOrEqual(0);
      }
      expect(foreign).toEqual([]);
    }
  },
);

it('the search finds a page by words of its text', async () => {
  const site = await serveSite();
  const { page } = await openTab({ viewport: { width: 1280, height: 900 } });
  await page.goto(site.origin);
  await page.getByRole('button', { name: 'Search' }).first().click();
  await page.getByRole('searchbox').fill('session_processing');
  await page
    .getByRole('option', { name: /session_processing/ })
    .first()
    .click();
  await page.getByRole('heading', { level: 1, name: 'session_processing' }).waitFor();
});

it('the playground runs the engine in the page: a session is created, paid and announced by verified webhooks', async () => {
  const site = await serveSite();
  const { page } = await openTab({ viewport: { width: 390, height: 900 } });
  await page.goto(`${site.origin}/playground.html`);
  const send = page.getByRole('button', { name: 'Send' });
  await send.click();
  await page.getByText('Status 201').waitFor();
  await page.getByRole('combobox', { name: /^Example/ }).selectOption('Simulate a buyer who pays');
  await send.click();
  await page.getByText('Status 200').waitFor();
  await page.getByRole('button', { name: 'Advance the clock by 5 minutes' }).click();
  await page.getByText('gate_session.completed, verified').waitFor();
  await expectAccessible(page);
  await page.getByRole('combobox', { name: /^Example/ }).selectOption('Misspell a field');
  await send.click();
  await page.getByRole('link', { name: 'unknown_field' }).click();
  await page.getByRole('heading', { level: 1, name: 'unknown_field' }).waitFor();
});

it('without JavaScript, a page reads and links lead on', async () => {
  const site = await serveSite();
  const { page } = await openTab({ javaScriptEnabled: false, viewport: { width: 1280, height: 900 } });
  await page.goto(`${site.origin}/guides/replay.html`);
  await page.getByRole('heading', { level: 1, name: 'Replay' }).waitFor();
  await page.getByRole('link', { name: 'Rotate' }).first().click();
  await page.getByRole('heading', { level: 1, name: /Rotate/ }).waitFor();
  expect(page.url()).toBe(`${site.origin}/guides/rotate.html`);
});
