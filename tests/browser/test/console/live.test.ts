import { describe, expect, it } from 'vitest';

import { goTo, openConsole, settled, startConsoleGate } from '../../console/open-console.js';

describe('an open page of the console', () => {
  it('shows what happens without being asked, and the door once its session has been ended', async () => {
    const gate = await startConsoleGate();
    const { page, expectProblem } = await openConsole(gate);
    // The page learns of what happens once its stream is open.
    const streamed = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith('/stream'));
    await page.reload();
    await streamed;
    await page.locator('.shell').waitFor();
    await goTo(page, gate.origins.console, 'sessions');
    await settled(page);
    await gate.createSession({ user_reference: 'order-78' });
    await page.getByText('order-78').waitFor();

    const reads: string[] = [];
    page.on('request', (request) => reads.push(new URL(request.url()).pathname));
    await goTo(page, gate.origins.console, 'keys');
    await settled(page);
    reads.length = 0;
    await gate.createSession({ user_reference: 'order-79' });
    await goTo(page, gate.origins.console, 'team');
    await settled(page);
    expect(reads.filter((path) => path.endsWith('/keys'))).toEqual([]);

    expectProblem(/Failed to load resource.* 401/);
    await page.evaluate(async () => {
      const { data } = (await (await fetch('/console/v1/team')).json()) as { data: { id: string; state: string }[] };
      const own = data.find(({ state }) => state === 'active');
      await fetch(`/console/v1/team/${own?.id}`, {
        method: 'DELETE',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
    });
    await page.getByText('Your session has ended').waitFor();
  });

  it('also shows what happened after its first read and before its stream was open', async () => {
    const gate = await startConsoleGate();
    const { page } = await openConsole(gate);
    await goTo(page, gate.origins.console, 'sessions');
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route(/\/console\/v1\/stream/, async (route) => {
      await released;
      await route.continue();
    });
    await page.reload();
    await settled(page);
    await gate.createSession({ user_reference: 'order-80' });
    release();
    await page.getByText('order-80').waitFor();
  });
});
