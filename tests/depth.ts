/**
 * `npm test` is quick: each law once, on every adapter. `npm run test:deep` runs longer random histories, every crash point, both versions
 * of Postgres, and the files in `DEEP`.
 */
export const isDeep = process.env.GATE_TEST_DEPTH === 'deep';

/** The number of random runs for this depth. */
export const runs = (quick: number, deep: number): number => (isDeep ? deep : quick);

/**
 * Each of these always gets a thread of its own, because it listens for errors of its whole process, or counts what its own laws
 * answered. In a quick run all other files share two threads, which import the product twice instead of 365 times.
 */
export const ALONE = [
  'packages/adapters-limits-redis/test/redis-away.test.ts',
  'packages/adapters-limits-redis/test/redis-nonsense.test.ts',
  'packages/adapters-queue-redis/test/redis-away.test.ts',
  'packages/adapters-queue-redis/test/redis-nonsense.test.ts',
  'packages/adapters-store-postgres/test/lost-connection.test.ts',
  'packages/core/test/http/http-contract.test.ts',
];

/** Only `npm run test:deep` runs these: they kill and restart processes for minutes, or enumerate pairs of crashes. */
export const DEEP = [
  'tests/histories/test/planted.test.ts',
  'packages/core/test/engine/crash/twice.test.ts',
  'tests/browser/test/demo-shop/data-dir.test.ts',
  'tests/browser/test/demo-shop/pictures.test.ts',
  'tests/browser/test/widget/first-interaction.test.ts',
  'tests/browser/test/widget/languages.test.ts',
  'tests/browser/test/widget/pictures.test.ts',
  'tests/chaos/test/**',
];

/** No run has these but the commands that name them: `npm run test:webkit`, `npm run test:stripe`. */
export const ON_REQUEST = [
  ...(process.env.GATERAMP_TEST_WEBKIT === '1' ? [] : ['tests/browser/test/buyers/webkit.test.ts']),
  ...(process.env.GATERAMP_TEST_STRIPE === '1' ? [] : ['packages/adapters-fiat-stripe/test/sandbox.test.ts']),
];

/** The files that take longest, longest first: what a run begins with where no durations of an earlier one are known. */
export const SLOW: readonly string[] = [
  'tests/browser/test/demo-shop/first-minute.test.ts',
  'tests/browser/test/widget/screens.test.ts',
  'tests/contract/test/contract-on-sqlite.test.ts',
  'tests/first-webhook/test/first-webhook.test.ts',
  'packages/adapters-http-express/test/conformance.test.ts',
  'apps/reference-server/test/data-dir.test.ts',
  'packages/adapters-store-postgres/test/upgrades/upgrades.test.ts',
  'apps/reference-server/test/move.test.ts',
  'apps/reference-server/test/cli.test.ts',
  'tests/browser/test/widget/in-a-page.test.ts',
  'packages/core/test/http/http-contract.test.ts',
  'tests/browser/test/widget/flows.test.ts',
  'tests/browser/test/react/react.test.ts',
  'apps/reference-server/test/durable.test.ts',
  'apps/cli/test/commands.test.ts',
  'tests/openapi/test/public-tools.test.ts',
  'apps/cli/test/listen.test.ts',
  'packages/core/test/engine/crash/sqlite.test.ts',
  'packages/conformance/test/second-process.test.ts',
  'packages/conformance/test/interleaving.test.ts',
];
