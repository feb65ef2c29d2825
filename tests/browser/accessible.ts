import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

type Analysis = Awaited<ReturnType<AxeBuilder['analyze']>>;

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Colours are judged in their final state: axe would complain of a message that fades in or out. */
const endAnimations = (): void => {
  for (const animation of document.getAnimations()) animation.cancel();
};

/** What axe finds by WCAG 2.0 to 2.2, levels A and AA, on the page and in its frames. */
export async function violationsOf(page: Page): Promise<Analysis['violations']> {
  for (const frame of page.frames()) await frame.evaluate(endAnimations);
  // Legacy mode avoids the extra page that axe opens per run, which is only needed for frames.
  const hasFrames = page.frames().length > 1;
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(!hasFrames).withTags(RULES).analyze();
  return violations;
}

/** Expects no such violations. Reports one line per violation. */
export async function expectAccessible(page: Page): Promise<void> {
  const found = (await violationsOf(page)).flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id}: ${help} at ${target.join(' ')}\n${failureSummary}`),
  );
  expect(found, 'what axe finds').toEqual([]);
}
