import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Colours are judged in their final state: axe would complain of a message that fades in or out. */
const endAnimations = (): void => {
  for (const animation of document.getAnimations()) animation.cancel();
};

/** Expects no axe violations of WCAG 2.0 to 2.2, levels A and AA, on the page and in its frames. Reports one line per violation. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const frame of page.frames()) await frame.evaluate(endAnimations);
  const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id}: ${help} at ${target.join(' ')}\n${failureSummary}`),
  );
  expect(found, 'what axe finds').toEqual([]);
}
