import type { BrowserContext, BrowserContextOptions, ConsoleMessage, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

import { testBrowser } from './test-browser.js';

export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The console errors, warnings and uncaught exceptions of all pages and frames so far. */
  readonly problems: readonly string[];
  /**
   * Declares an expected problem, such as the console error of a failed response. The test fails on any other problem, and if this one does
   * not occur.
   */
  expectProblem(pattern: RegExp): void;
}

/**
 * How long an action waits for its element; only ends what hangs. Half of the time of `expect.poll`, which tries once more when that is
 * over: a missing element then fails with its own message before the test's time is over.
 */
export const WAITS_MS = 60_000;

/** Opens an empty tab in a new context, closed when the test ends. Unexpected problems on its console fail the test. */
export async function openTab(options: BrowserContextOptions = {}): Promise<Tab> {
  const browser = await testBrowser();
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', ...options });
  context.setDefaultTimeout(WAITS_MS);
  const problems: string[] = [];
  const expected: RegExp[] = [];
  context.on('console', (message) => {
    if (isComplaint(message)) problems.push(`${message.type()}: ${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => problems.push(`uncaught: ${String(error.error())}`));
  onTestFinished(async () => {
    await context.close();
    expect(unexpected(problems, expected), 'what the console complained of').toEqual([]);
    const missed = expected.filter((pattern) => !problems.some((problem) => pattern.test(problem)));
    expect(missed, 'complaints that were expected and did not come').toEqual([]);
  });
  const page = await context.newPage();
  return { page, context, problems, expectProblem: (pattern) => void expected.push(pattern) };
}

function isComplaint(message: ConsoleMessage): boolean {
  return ['error', 'warning', 'assert'].includes(message.type());
}

function unexpected(problems: readonly string[], expected: readonly RegExp[]): readonly string[] {
  return problems.filter((problem) => !expected.some((pattern) => pattern.test(problem)));
}
