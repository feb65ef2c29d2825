import { chromium, type Browser } from 'playwright-core';
import { serviceOfRun } from '../services/service.js';

let browser: Promise<Browser> | null = null;

/**
 * The shared Chromium of a run, started for the first test that needs it. Tests are isolated by contexts, which share no cookies, storage
 * or cache. If Chromium is missing the tests fail; they are never skipped.
 */
export function testBrowser(): Promise<Browser> {
  browser ??= connected();
  return browser;
}

async function connected(): Promise<Browser> {
  return chromium.connect(await serviceOfRun('chromium'));
}
