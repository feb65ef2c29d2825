import { defaultClientConditions, defaultServerConditions } from 'vite';
import { configDefaults, defineConfig } from 'vitest/config';

import { testFilesByDepth } from './tools/lib/depth-readers.mjs';
import SlowFirst from './tools/lib/slow-first.mjs';
import { sqlPlugin } from './tools/lib/sql-text.mjs';
import { ALARMS, ALONE, DEEP, isDeep, ON_REQUEST } from './tests/depth.js';

/** Tests read TypeScript source through this condition, so no test ever runs against a stale build. */
const source = '@gateramp/source';

/** Node does not know the condition `module`, and loads what it resolves to only by chance: OpenTelemetry's files there lack extensions. */
const nodeConditions = defaultServerConditions.filter((condition) => condition !== 'module');

const TESTS = [
  'packages/*/test/**/*.test.{ts,tsx}',
  'sdks/*/test/**/*.test.{ts,tsx}',
  'apps/*/test/**/*.test.{ts,tsx}',
  'examples/*/test/**/*.test.{ts,tsx}',
  'tools/test/**/*.test.ts',
  'tests/*/test/**/*.test.ts',
];

/** Share their modules in a deep run too: each needs most of the product, which takes seconds to import, and keeps little in memory. */
const SHARING = ['apps/*/test/**/*.test.{ts,tsx}', 'sdks/*/test/**/*.test.{ts,tsx}', 'tests/browser/test/**/*.test.ts'];

/** A deep run repeats these with the newest major of ioredis that the adapters accept. */
const ON_IOREDIS = [
  'packages/adapters-queue-redis/test/*.test.ts',
  'packages/adapters-limits-redis/test/redis-*.test.ts',
];

/** Files that a quick run leaves to a deep one, unless the command names them. */
const left = isDeep ? [] : DEEP.filter((file) => !process.argv.includes(file));
/** `npm run test:deep -- --after-quick` leaves out what `npm test` has run just as long. */
const proved = process.env.GATERAMP_TEST_AFTER_QUICK === '1' ? testFilesByDepth().same : [];

const exclude = [...configDefaults.exclude, ...ON_REQUEST, ...left, ...proved];

export default defineConfig({
  plugins: [sqlPlugin],
  resolve: { conditions: [source, ...defaultClientConditions] },
  ssr: { resolve: { conditions: [source, ...nodeConditions] } },
  test: {
    environment: 'node',
    setupFiles: ['tools/lib/seed-setup.mjs'],
    globalSetup: ['tests/services/vitest-setup.ts'],
    pool: 'threads',
    // In a quick run many files wait for a browser, a database or another process; a deep run loads the machine by itself.
    maxWorkers: isDeep ? 2 : 3,
    // These limits only end tests that hang. No test measures time, because the machine may be slow or paused for seconds.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 120_000,
    expect: { poll: { timeout: 120_000 } },
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    sequence: { sequencer: SlowFirst },
    reporters: ['dot'],
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts', 'sdks/*/src/**/*.{ts,tsx}', 'apps/*/src/**/*.{ts,tsx}'],
      reporter: ['text-summary', 'html'],
    },
    projects: [
      { extends: true, test: { name: 'alone', include: ALONE, exclude } },
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: isDeep ? SHARING : TESTS,
          exclude: [...exclude, ...ALONE, ...ALARMS],
        },
      },
      // The histories of a deep run outgrow the heap of a shared thread.
      {
        extends: true,
        test: {
          name: 'isolated',
          include: isDeep ? TESTS : [],
          exclude: [...exclude, ...SHARING, ...ALONE, ...ALARMS],
        },
      },
      {
        extends: true,
        resolve: { alias: { ioredis: 'ioredis-6' } },
        test: { name: 'ioredis-6', include: isDeep ? ON_IOREDIS : [], exclude: configDefaults.exclude },
      },
      {
        extends: true,
        test: { name: 'alarms', include: ALARMS, exclude, maxWorkers: 5, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
