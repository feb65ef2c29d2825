import { chromium, type Browser } from 'playwright-core';
import { serviceOfRun } from '../services/service.js';

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
  return chromium.connect(await serviceOfRun('chromium'));
}
