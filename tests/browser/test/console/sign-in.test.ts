import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  listening,
  testProvider,
} from '../../../../apps/reference-server/test/sign-in/oidc-provider.js';
import { migratedDatabase, runGate } from '../../../../apps/reference-server/test/run-gate.js';
import { readyServer } from '../../../../apps/reference-server/test/running-server.js';
import { freePort } from '../../../services/ports.js';
import { expectAccessible } from '../../accessible.js';
import { settled } from '../../console/open-console.js';
import { picturePath } from '../../pictures.js';
import { testBrowser } from '../../test-browser.js';
import { passkeyBrowser } from '../../virtual-passkeys.js';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A server over Postgres, as an operator installs it, and the `gate` command for it. */
async function installed(more: Readonly<Record<string, string>> = {}) {
  const { database, settings } = await migratedDatabase();
  closers.push(() => database.drop());
  const server = await readyServer({ ...settings, GATE_DEMO: 'off', ...more });
  closers.push(async () => {
    server.process.kill('SIGTERM');
    await server.exited;
  });
  const gate = async (command: string): Promise<string> => {
    const { code, out, err } = await runGate(command, settings);
    expect(code, err).toBe(0);
    return out;
  };
  return { server, console: server.origins.console, gate };
}

async function opened() {
  const visit = await passkeyBrowser(await testBrowser());
  closers.push(visit.close);
  const problems: string[] = [];
  visit.page.on('pageerror', (error) => problems.push(String(error)));
  visit.page.on('console', (line) => {
    if (/Content Security Policy|Trusted/i.test(line.text())) problems.push(line.text());
  });
  return { page: visit.page, problems };
}

const me = (page: Page) =>
  page.evaluate(async () => {
    const answer = await fetch('/console/v1/me');
    return { status: answer.status, actor: ((await answer.json()) as { actor?: { id: string } }).actor?.id ?? null };
  });

it('an operator registers a passkey in the page, signs in with it, and is out once it is removed', async () => {
  const { console, gate } = await installed();
  const { page, problems } = await opened();
  const link = await gate(`console enroll --user ada@example.com --role admin --url ${console} --actor ops`);
  expect(link).toMatch(/^http:\/\/localhost:\d+\/#enroll=gce_/);
  await page.goto(link);
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByText('Your passkey is registered').waitFor();
  expect(page.url()).not.toContain('gce_');
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  // In the menu of the account.
  await page.getByText('ada@example.com').first().waitFor({ state: 'attached' });
  expect(await me(page)).toEqual({ status: 200, actor: 'ada@example.com' });

  const [passkey] = JSON.parse(await gate('console passkeys list --json')) as readonly { id: string; state: string }[];
  expect(passkey).toMatchObject({ user: 'ada@example.com', role: 'admin', state: 'active' });
  expect(await gate('console sessions list')).toMatch(/ada@example\.com\s+admin\s+-\s+active/);
  const removed = await gate(`console passkeys remove ${passkey?.id ?? ''} --actor ops --reason left`);
  expect(removed).toBe('Removed the passkey of ada@example.com, and ended 1 session.');
  expect(await me(page)).toEqual({ status: 401, actor: null });
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0);

  const entries = JSON.parse(await gate('audit list --json')) as readonly { action: string; actor: { id: string } }[];
  expect(entries.map(({ action, actor }) => [action, actor.id])).toEqual([
    ['console_access.revoke', 'ops'],
    ['console_passkey.remove', 'ops'],
    ['console_access.sign_in', 'ada@example.com'],
    ['console_passkey.register', 'ada@example.com'],
    ['console_passkey.invite', 'ops'],
  ]);
  expect(await gate('audit verify')).toContain('intact');
  expect(problems).toEqual([]);
});

it('an operator signs in by single sign-on from the page and is back in it', async () => {
  const port = await freePort();
  const at = await listening();
  const provider = await testProvider(`http://127.0.0.1:${port}`, { at });
  closers.push(provider.close);
  provider.person = { sub: 'u-1', email: 'ada@example.com', email_verified: true, gateramp_roles: ['operator'] };
  const { server, console, gate } = await installed({
    GATE_CONSOLE_PORT: String(port),
    GATE_OIDC_ISSUER: at.origin,
    GATE_OIDC_CLIENT_ID: CLIENT_ID,
    GATE_OIDC_CLIENT_SECRET: CLIENT_SECRET,
  });
  const { page, problems } = await opened();
  await page.goto(console.replace('127.0.0.1', 'localhost'));
  await page.getByRole('link', { name: 'Single sign-on' }).click();
  // In the menu of the account.
  await page.getByText('ada@example.com').first().waitFor({ state: 'attached' });
  expect(new URL(page.url()).origin).toBe(console);
  expect(await me(page)).toEqual({ status: 200, actor: 'ada@example.com' });

  const [session] = JSON.parse(await gate('console sessions list --json')) as readonly { id: string }[];
  await gate(`console sessions end ${session?.id ?? ''}`);
  expect(await me(page)).toMatchObject({ status: 401 });
  for (const secret of [CLIENT_SECRET, ...provider.tokens]) expect(server.stderr()).not.toContain(secret);
  expect(problems).toEqual([]);
});

it('the gate command refuses what cannot become a passkey', async () => {
  const { settings, database } = await migratedDatabase();
  closers.push(() => database.drop());
  const refused = async (command: string) => {
    const { code, err } = await runGate(`console ${command}`, settings);
    return [code, err] as const;
  };
  expect(await refused('enroll --user ada --role admin --url https://10.0.0.7')).toEqual([
    1,
    expect.stringContaining('Set GATE_CONSOLE_URL to a URL with a host name.'),
  ]);
  expect((await refused('enroll --user ada --role boss'))[0]).toBe(2);
  expect((await refused('enroll --role admin'))[0]).toBe(2);
  expect(await refused('passkeys remove nothing')).toEqual([1, expect.stringContaining('No such passkey')]);
  expect(await refused('sessions end nothing')).toEqual([1, expect.stringContaining('No such session')]);
});

describe('a user of a partner', () => {
  const LOOKS = { phone: { width: 390, height: 844 }, wide: { width: 1280, height: 900 } };

  it('adds a passkey in the page, signs in with it without a link, and is out once the access is ended', async () => {
    const { console, gate } = await installed({ GATE_DEMO: 'on' });
    const { page, problems } = await opened();
    const origin = console.replace('127.0.0.1', 'localhost');
    const partner = '65f0de300000000000000001';
    const linkFor = (user: string) =>
      gate(`console invite --partner ${partner} --mode test --role admin --user ${user} --url ${origin}`);
    const picture = async (name: string) => {
      for (const [look, size] of Object.entries(LOOKS)) {
        await page.setViewportSize(size);
        await settled(page);
        await page.screenshot({ path: picturePath(`console-${name}-${look}`) });
        const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(beyond, `what ${name} has beyond the side of the window`).toBeLessThanOrEqual(0);
        await expectAccessible(page);
      }
    };
    const signIn = () => page.getByRole('button', { name: 'Sign in with a passkey' }).click();

    await page.goto((await linkFor('ada@shop.example')).split('\n')[0] ?? '');
    await page.getByRole('link', { name: 'Passkeys' }).click();
    await page.getByText('Add a passkey to sign in without a link.').waitFor();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Laptop');
    await picture('passkeys-form');
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
    await page.getByRole('cell', { name: 'Laptop', exact: true }).waitFor();
    await picture('passkeys');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Laptop again');
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
    await page.getByText('No passkey was made.').waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: /^ada@shop.example/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You have signed out.').waitFor();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    await picture('door-passkey');

    // Someone else signs in to this browser, in another tab.
    const other = await page.context().newPage();
    await other.goto((await linkFor('grace@shop.example')).split('\n')[0] ?? '');
    await other.locator('.shell').waitFor();
    await signIn();
    await page.getByRole('heading', { name: 'A session is already open in this browser' }).waitFor();
    await page.getByText('grace@shop.example').waitFor();
    await picture('door-passkey-question');
    expect(await me(page)).toEqual({ status: 200, actor: 'grace@shop.example' });
    await signIn();
    await page.locator('.shell').waitFor();
    expect(await me(page)).toEqual({ status: 200, actor: 'ada@shop.example' });
    await page.getByRole('link', { name: 'Team' }).click();
    await page.getByRole('row', { name: /ada@shop.example/ }).waitFor();
    await picture('team-passkeys');

    const all = JSON.parse(await gate(`console sessions list --partner ${partner} --json`)) as readonly {
      id: string;
      user: string;
      passkeys: number;
    }[];
    const access = all.find(({ user }) => user === 'ada@shop.example');
    expect(access?.passkeys).toBe(1);
    await gate(`console sessions end ${access?.id ?? ''} --partner ${partner}`);
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signIn();
    await page.getByText('This passkey does not open the console').waitFor();
    expect(await me(page)).toEqual({ status: 401, actor: null });
    expect(await gate('audit verify')).toContain('intact');
    expect(problems).toEqual([]);
  });
});
