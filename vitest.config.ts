import { defaultClientConditions, defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

import { sqlPlugin } from './tools/lib/sql-text.mjs';

/** Tests read TypeScript source through this condition, so no test ever runs against a stale build. */
const source = '@gateramp/source';

export default defineConfig({
  plugins: [sqlPlugin],
  resolve: { conditions: [source, ...defaultClientConditions] },
  ssr: { resolve: { conditions: [source, ...defaultServerConditions] } },
  test: {
    include: [
      'packages/*/test/**/*.test.{ts,tsx}',
      'sdks/*/test/**/*.test.{ts,tsx}',
      'apps/*/test/**/*.test.{ts,tsx}',
      'examples/*/test/**/*.test.{ts,tsx}',
      'tools/test/**/*.test.ts',
      'tests/*/test/**/*.test.ts',
    ],
    environment: 'node',
    setupFiles: ['tools/lib/seed-setup.mjs'],
    globalSetup: ['tests/services/vitest-setup.ts'],
    pool: 'threads',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 20_000,
    reporters: ['dot'],
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts', 'sdks/*/src/**/*.{ts,tsx}', 'apps/*/src/**/*.{ts,tsx}'],
      reporter: ['text-summary', 'html'],
    },
  },
});
