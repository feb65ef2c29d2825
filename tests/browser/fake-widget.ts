import type { Frame, Page } from 'playwright-core';

import { script, servePages, type Site } from './serve-pages.js';

/** A message that a frame of the fake checkout received, with its origin. */
export interface Heard {
  readonly origin: string;
  readonly data: { readonly type: string; readonly payload: Readonly<Record<string, unknown>> };
}

export interface FakeWidget {
  readonly site: Site;
  readonly origin: string;
  /** The frames of the fake checkout on a page, in the order of their creation. */
  frames(page: Page): readonly Frame[];
}

/**
 * A checkout that a test scripts. `/embed` posts WIDGET_READY when it has loaded, `/silent` never does. Received messages are recorded in
 * `heard`, and `say` posts to the embedding page.
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

/** Lets the frame post any message to the embedding page. */
export async function say(frame: Frame | undefined, message: unknown): Promise<void> {
  await frameOf(frame).evaluate((said) => globalThis.say(said), message);
}

/** The messages that the frame has received so far. */
export async function heardBy(frame: Frame | undefined): Promise<readonly Heard[]> {
  return frameOf(frame).evaluate(() => globalThis.heard);
}

function frameOf(frame: Frame | undefined): Frame {
  if (frame === undefined) throw new Error('The checkout is not on the page.');
  return frame;
}

declare global {
  // Globals of the fake checkout's page.
  var heard: Heard[];
  var say: (message: unknown, to?: Window) => void;
}
