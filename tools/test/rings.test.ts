import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cruise } from '../rings.mjs';

const root = join(import.meta.dirname, '../..');

/** A miniature repository: one file per ring, two adapters, an app, and stubs for their dependencies. No import breaks a rule. */
const sound: Record<string, string> = {
  'packages/core/src/domain/session.ts': `import { ok } from 'neverthrow'; export const session = ok;`,
  'packages/core/src/ports/index.ts': `export type { Store } from './store.js';`,
  'packages/core/src/ports/store.ts': `import { session } from '../domain/session.js'; export type Store = typeof session;`,
  'packages/core/src/application/cancel.ts': `import type { Store } from '../ports/store.js'; import { ok } from 'neverthrow'; export const cancel = (s: Store) => ok(s);`,
  'packages/core/src/http/index.ts': `import { cancel } from '../application/cancel.js'; import { z } from 'zod'; export const http = [cancel, z];`,
  'packages/core/src/runtime/index.ts': `import { randomBytes } from 'node:crypto'; import { jose } from 'jose'; import { undici } from 'undici'; import type { Store } from '../ports/index.js'; export const runtime = (s: Store) => [randomBytes, jose, undici, s];`,
  'packages/core/src/gate.ts': `import { http } from './http/index.js'; import { runtime } from './runtime/index.js'; export const gate = [http, runtime];`,
  'packages/core/src/index.ts': `export { gate } from './gate.js';`,
  'packages/adapters-http-express/src/index.ts': `import { http } from '@gateramp/core/http'; import { express } from 'express'; export const expressGate = [http, express];`,
  'packages/adapters-store-memory/src/index.ts': `import type { Store } from '@gateramp/core/ports'; export const memoryStore = (s: Store) => s;`,
  'packages/testing/src/index.ts': `import { memoryStore } from '@gateramp/adapters-store-memory'; import { gate } from '@gateramp/core'; export const kit = [memoryStore, gate];`,
  'packages/conformance/src/index.ts': `import { kit } from '@gateramp/testing'; export const laws = kit;`,
  'sdks/browser/src/index.ts': `export const embed = 1;`,
  'apps/widget/src/main.ts': `import { embed } from '@gateramp/sdk-browser'; export const widget = embed;`,
  'apps/reference-server/src/main.ts': `import { expressGate } from '@gateramp/adapters-http-express'; import { express } from 'express'; import { fastify } from 'fastify'; export const main = [expressGate, express, fastify];`,
};

/** Each forbidden import, the file it is planted in, and the rule that must report it. */
const planted: Array<[rule: string, title: string, path: string, code: string]> = [
  [
    'ring-domain',
    'domain imports a port',
    'packages/core/src/domain/a.ts',
    `import type { Store } from '../ports/store.js'; export type A = Store;`,
  ],
  [
    'ring-domain',
    'domain imports a Node built-in',
    'packages/core/src/domain/b.ts',
    `import { randomBytes } from 'node:crypto'; export const b = randomBytes;`,
  ],
  [
    'ring-domain',
    'domain imports zod',
    'packages/core/src/domain/c.ts',
    `import { z } from 'zod'; export const c = z;`,
  ],
  [
    'ring-ports',
    'ports import a use case',
    'packages/core/src/ports/a.ts',
    `import type { cancel } from '../application/cancel.js'; export type A = typeof cancel;`,
  ],
  [
    'ring-ports',
    'ports import a library',
    'packages/core/src/ports/b.ts',
    `import { ok } from 'neverthrow'; export const b = ok;`,
  ],
  [
    'ring-application',
    'application imports http',
    'packages/core/src/application/a.ts',
    `import { http } from '../http/index.js'; export const a = http;`,
  ],
  [
    'ring-application',
    'application imports runtime',
    'packages/core/src/application/b.ts',
    `import { runtime } from '../runtime/index.js'; export const b = runtime;`,
  ],
  [
    'ring-application',
    'application imports the composition',
    'packages/core/src/application/c.ts',
    `import { gate } from '../gate.js'; export const c = gate;`,
  ],
  [
    'ring-http',
    'http imports runtime',
    'packages/core/src/http/a.ts',
    `import { runtime } from '../runtime/index.js'; export const a = runtime;`,
  ],
  [
    'ring-http',
    'http imports a Node built-in',
    'packages/core/src/http/b.ts',
    `import { createServer } from 'node:http'; export const b = createServer;`,
  ],
  [
    'ring-runtime',
    'runtime imports a use case',
    'packages/core/src/runtime/a.ts',
    `import { cancel } from '../application/cancel.js'; export const a = cancel;`,
  ],
  [
    'ring-runtime',
    'runtime imports zod',
    'packages/core/src/runtime/b.ts',
    `import { z } from 'zod'; export const b = z;`,
  ],
  [
    'core-imports-no-adapter',
    'core imports an adapter',
    'packages/core/src/a.ts',
    `import { memoryStore } from '@gateramp/adapters-store-memory'; export const a = memoryStore;`,
  ],
  [
    'core-has-four-dependencies',
    'core imports a fifth library',
    'packages/core/src/b.ts',
    `import { pino } from 'pino'; export const b = pino;`,
  ],
  [
    'public-subpaths-only',
    'an adapter reaches into core',
    'packages/adapters-store-memory/src/a.ts',
    `import { session } from '../../core/src/domain/session.js'; export const a = session;`,
  ],
  [
    'resolvable',
    'an adapter names an unexported subpath',
    'packages/adapters-store-memory/src/b.ts',
    `import { session } from '@gateramp/core/domain/session'; export const b = session;`,
  ],
  [
    'no-import-across-packages-by-path',
    'an app imports core by path',
    'apps/reference-server/src/a.ts',
    `import { gate } from '../../../packages/core/src/index.js'; export const a = gate;`,
  ],
  [
    'adapters-stand-alone',
    'an adapter imports another',
    'packages/adapters-http-express/src/a.ts',
    `import { memoryStore } from '@gateramp/adapters-store-memory'; export const a = memoryStore;`,
  ],
  [
    'sdks-stand-apart',
    'an SDK imports a type of the engine',
    'sdks/browser/src/a.ts',
    `import type { gate } from '@gateramp/core'; export type A = typeof gate;`,
  ],
  [
    'sdks-stand-apart',
    'a test of an SDK imports a kit',
    'sdks/browser/test/b.ts',
    `import { kit } from '@gateramp/testing'; export const b = kit;`,
  ],
  ...['widget', 'demo-shop'].map((app): [string, string, string, string] => [
    'web-apps-never-import-core',
    `${app} imports core`,
    `apps/${app}/src/a.ts`,
    `import { gate } from '@gateramp/core'; export const a = gate;`,
  ]),
  [
    'web-apps-carry-no-core',
    'the demo shop imports an adapter, and core comes with it',
    'apps/demo-shop/src/b.ts',
    `import { expressGate } from '@gateramp/adapters-http-express'; export const b = expressGate;`,
  ],
  [
    'no-app-imports-another',
    'the widget imports the server',
    'apps/widget/src/b.ts',
    `import { main } from '../../reference-server/src/main.js'; export const b = main;`,
  ],
  [
    'server-takes-apps-by-their-entry',
    'the server reaches into the widget',
    'apps/reference-server/src/c.ts',
    `import { widget } from '../../widget/src/main.js'; export const c = widget;`,
  ],
  [
    'test-kits-are-for-tests',
    'the server imports createTestGate',
    'apps/reference-server/src/b.ts',
    `import { kit } from '@gateramp/testing'; export const b = kit;`,
  ],
  [
    'testing-needs-no-laws',
    'createTestGate imports fast-check',
    'packages/testing/src/c.ts',
    `import { check } from 'fast-check'; export const c = check;`,
  ],
  [
    'testing-needs-no-laws',
    'createTestGate imports the laws',
    'packages/testing/src/d.ts',
    `import { laws } from '@gateramp/conformance'; export const d = laws;`,
  ],
  [
    'express-in-its-adapter',
    'the store imports express',
    'packages/adapters-store-memory/src/c.ts',
    `import { express } from 'express'; export const c = express;`,
  ],
  [
    'fastify-in-its-adapter',
    'the express adapter imports fastify',
    'packages/adapters-http-express/src/b.ts',
    `import { fastify } from 'fastify'; export const b = fastify;`,
  ],
  [
    'no-test-runner-in-source',
    'the conformance kit imports vitest',
    'packages/conformance/src/a.ts',
    `import { it } from 'vitest'; export const a = it;`,
  ],
  [
    'no-test-code-in-source',
    'source imports a test builder',
    'packages/testing/src/b.ts',
    `import { builder } from '../test/builder.js'; export const b = builder;`,
  ],
  [
    'no-cycles',
    'two domain files import each other',
    'packages/core/src/domain/d.ts',
    `import { e } from './e.js'; export const d = () => e;`,
  ],
];

const support: Record<string, string> = {
  'packages/testing/test/builder.ts': `export const builder = 1;`,
  'packages/core/src/domain/e.ts': `import { d } from './d.js'; export const e = () => d;`,
};

let house: string;

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(house, path)), { recursive: true });
    writeFileSync(join(house, path), text);
  }
}

async function violations(): Promise<string[]> {
  const { output } = await cruise(house, ['--output-type', 'json']);
  if (!output.startsWith('{')) throw new Error(output);
  const { summary } = JSON.parse(output) as {
    summary: { violations: Array<{ rule: { name: string }; from: string }> };
  };
  return summary.violations.map(({ rule, from }) => `${rule.name} ${from}`);
}

beforeAll(() => {
  house = mkdtempSync(join(tmpdir(), 'gateramp-rings-'));
  write(sound);
  write({
    'tsconfig.json': JSON.stringify({
      compilerOptions: { module: 'ESNext', moduleResolution: 'bundler', customConditions: ['@gateramp/source'] },
    }),
  });
  for (const name of ['neverthrow', 'zod', 'jose', 'undici', 'express', 'fastify', 'pino', 'vitest', 'fast-check']) {
    write({
      [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: '1.0.0', main: 'index.js' }),
      [`node_modules/${name}/index.js`]: '',
    });
  }
  mkdirSync(join(house, 'node_modules/@gateramp'));
  for (const folder of [
    'packages/core',
    'packages/adapters-http-express',
    'packages/adapters-store-memory',
    'packages/testing',
    'packages/conformance',
  ]) {
    write({ [`${folder}/package.json`]: readFileSync(join(root, folder, 'package.json'), 'utf8') });
    symlinkSync(
      join(house, folder),
      join(house, 'node_modules/@gateramp', folder.replace('packages/', '')),
      'junction',
    );
  }
  const sdk = { name: '@gateramp/sdk-browser', version: '1.0.0', exports: './src/index.ts' };
  write({ 'sdks/browser/package.json': JSON.stringify(sdk) });
  symlinkSync(join(house, 'sdks/browser'), join(house, 'node_modules', sdk.name), 'junction');
});

afterAll(() => {
  rmSync(house, { recursive: true, force: true });
});

describe('the rings', () => {
  it('let a sound house pass', async () => {
    expect(await violations()).toEqual([]);
  });

  describe('report the import that breaks them', () => {
    let found: string[];
    beforeAll(async () => {
      write(support);
      write(Object.fromEntries(planted.map(([, , path, code]) => [path, code])));
      found = await violations();
    });

    it.each(planted)('%s: %s', (rule, _title, path) => {
      expect(found).toContain(`${rule} ${path}`);
    });
  });
});
