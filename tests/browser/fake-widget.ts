import type { Frame, Page } from 'playwright-core';

import { script, servePages, type Site } from './serve-pages.js';

/** What a frame of the fake checkout received, and from whom. */
export interface Heard {
  readonly origin: string;
  readonly data: { readonly type: string; readonly payload: Readonly<Record<string, unknown>> };
}

export interface FakeWidget {
  readonly site: Site;
  readonly origin: string;
  /** The frames of it on a page, in the order in which they came. */
  frames(page: Page): readonly Frame[];
}

/**
 * A checkout that says what a test has it say: `/embed` says that it listens as soon as it does, `/silent` never. What it receives lies in
 * `heard`, and `say` posts to its page.
 */
export async function fakeWidget(): Promise<FakeWidget> {
  const site = await servePages({
    '/': page('full page'),
    '/embed': page('embedded', '<script src="/say.js"></script><script src="/ready.js"></script>'),
    '/silent': page('silent', '<script src="/say.js"></script>'),
    '/say.js': script(`
      globalThis.heard = [];
      globalThis.say = (message, to = parent) => to.postMessage(message, '*');
      addEventListener('message', ({ origin, data }) => heard.push({ origin, data }));
    `),
    '/ready.js': script(`say({ type: 'WIDGET_READY', payload: { capabilities: ['card'] } });`),
  });
  return {
    site,
    origin: site.origin,
    frames: (of) => of.frames().filter((frame) => frame.url().startsWith(site.origin)),
  };
}

function page(title: string, body = ''): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><link rel="icon" href="data:,"></head><body>${body}</body></html>`;
}

/** Has the frame post this to its page, whatever it is. */
export async function say(frame: Frame | undefined, message: unknown): Promise<void> {
  await frameOf(frame).evaluate((said) => globalThis.say(said), message);
}

/** What the frame has received so far. */
export async function heardBy(frame: Frame | undefined): Promise<readonly Heard[]> {
  return frameOf(frame).evaluate(() => globalThis.heard);
}

function frameOf(frame: Frame | undefined): Frame {
  if (frame === undefined) throw new Error('The checkout is not on the page.');
  return frame;
}

declare global {
  // Of the fake checkout's own page.
  var heard: Heard[];
  var say: (message: unknown, to?: Window) => void;
}
