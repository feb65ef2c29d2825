import { chromium, type Browser } from 'playwright-core';

let browser: Promise<Browser> | null = null;

/**
 * The one Chromium of this run, started when the first test asks for it. Tests keep apart by their contexts, which share no cookie, storage
 * or cache. A run that can have none fails; nothing is ever skipped.
 */
export function testBrowser(): Promise<Browser> {
  browser ??= connected();
  return browser;
}

async function connected(): Promise<Browser> {
  const services = process.env.GATERAMP_TEST_SERVICES;
  if (!services) throw new Error('No Chromium to test with: run the tests through vitest.');
  const answer = await fetch(`${services}/chromium`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return chromium.connect(text);
}
