/**
 * `npm test` is quick: each law of a port on every adapter, and the wire contract on both embedded stores. `npm run test:deep` runs longer
 * random histories, every crash point, both versions of Postgres, and the files in `DEEP`.
 */
export const isDeep = process.env.GATE_TEST_DEPTH === 'deep';

/** The number of random runs for this depth. */
export const runs = (quick: number, deep: number): number => (isDeep ? deep : quick);

/**
 * Each of these always gets a thread of its own, because it listens for errors of its whole process, or counts what its own laws
 * answered. In a quick run all other files share three threads, which import the product three times instead of 365 times.
 */
export const ALONE = [
  'packages/adapters-limits-redis/test/redis-away.test.ts',
  'packages/adapters-limits-redis/test/redis-wrong-answers.test.ts',
  'packages/adapters-queue-redis/test/redis-away.test.ts',
  'packages/adapters-queue-redis/test/redis-wrong-answers.test.ts',
  'packages/adapters-store-postgres/test/lost-connection.test.ts',
  'tests/contract/test/contract-on-fetch.test.ts',
];

/** Wait for rules of alarms most of their time, so they run side by side, when all other files have ended. */
export const ALARMS = [
  'tests/alarms/test/chain-1.test.ts',
  'tests/alarms/test/chain-2.test.ts',
  'tests/alarms/test/database-1.test.ts',
  'tests/alarms/test/database-2.test.ts',
  'tests/alarms/test/database-3.test.ts',
  'tests/alarms/test/engine.test.ts',
  'tests/alarms/test/legs.test.ts',
  'tests/alarms/test/processes-1.test.ts',
  'tests/alarms/test/processes-2.test.ts',
];

/**
 * Only `npm run test:deep` runs these, and a command that names the file: they start processes for minutes, enumerate crashes,
 * prove that laws catch planted faults, or visit further states of a page. None holds a law of a port or of the wire contract
 * that no other file holds.
 */
export const DEEP = [
  ...ALARMS,
  'apps/cli/test/every-command.test.ts',
  'apps/reference-server/test/audit-commands.test.ts',
  'apps/console/test/plans.test.ts',
  'apps/reference-server/test/cli.test.ts',
  'apps/reference-server/test/work-commands.test.ts',
  'apps/reference-server/test/clock.test.ts',
  'apps/reference-server/test/console.test.ts',
  'apps/reference-server/test/data-dir.test.ts',
  'apps/reference-server/test/database-outage.test.ts',
  'apps/reference-server/test/drain.test.ts',
  'apps/reference-server/test/stop-under-npm.test.ts',
  'apps/reference-server/test/suspend-command.test.ts',
  'apps/reference-server/test/traces.test.ts',
  'apps/reference-server/test/durable.test.ts',
  'apps/reference-server/test/every-command.test.ts',
  'apps/reference-server/test/grants.test.ts',
  'apps/reference-server/test/history.test.ts',
  'apps/reference-server/test/leg-commands.test.ts',
  'apps/reference-server/test/move.test.ts',
  'apps/reference-server/test/partition-commands.test.ts',
  'apps/reference-server/test/processes.test.ts',
  'apps/reference-server/test/redis-outage.test.ts',
  'apps/reference-server/test/redis-tls.test.ts',
  'apps/reference-server/test/public-urls.test.ts',
  'apps/reference-server/test/shared-clock.test.ts',
  'packages/adapters-fiat-stripe/test/lost-answers.test.ts',
  'packages/adapters-store-citus/test/conversion.test.ts',
  'packages/adapters-store-citus/test/router.test.ts',
  'packages/adapters-store-postgres/test/held-snapshot.test.ts',
  'packages/adapters-store-postgres/test/kept-plans.test.ts',
  'packages/adapters-store-postgres/test/partitions/conversion.test.ts',
  'packages/adapters-store-postgres/test/partitions/drop.test.ts',
  'packages/adapters-store-postgres/test/partitions/laws.test.ts',
  'packages/adapters-store-postgres/test/partitions/pages.test.ts',
  'packages/adapters-store-postgres/test/partitions/pooling-proxy.test.ts',
  'packages/adapters-store-postgres/test/positions.test.ts',
  'packages/adapters-store-postgres/test/stock-conformance.test.ts',
  'packages/adapters-store-postgres/test/upgrades/upgrades.test.ts',
  'packages/adapters-store-sqlite/test/power-cut.test.ts',
  'packages/conformance/test/second-process.test.ts',
  'packages/core/test/engine/crash/twice.test.ts',
  'sdks/python/test/python.test.ts',
  'tests/embedding/test/stopping-programs.test.ts',
  'tests/failover/test/auto-failover.test.ts',
  'tests/failover/test/failover.test.ts',
  'tests/failover/test/redis-sentinel.test.ts',
  'tests/browser/test/api-reference.test.ts',
  'tests/browser/test/console/branding.test.ts',
  'tests/browser/test/console/door.test.ts',
  'tests/browser/test/console/firefox.test.ts',
  'tests/browser/test/console/live.test.ts',
  'tests/browser/test/console/operators.test.ts',
  'tests/browser/test/console/passkeys.test.ts',
  'tests/browser/test/console/screens.test.ts',
  'tests/browser/test/console/second-person.test.ts',
  'tests/browser/test/console/sign-in.test.ts',
  'tests/browser/test/console/story.test.ts',
  'tests/browser/test/console/time-machine.test.ts',
  'tests/browser/test/demo-shop/accessible.test.ts',
  'tests/browser/test/demo-shop/data-dir.test.ts',
  'tests/browser/test/demo-shop/pictures.test.ts',
  'tests/browser/test/demo-shop/purchases.test.ts',
  'tests/browser/test/demo-shop/situations.test.ts',
  'tests/browser/test/flows/guarded.test.ts',
  'tests/browser/test/sdk/height.test.ts',
  'tests/browser/test/sdk/refusals.test.ts',
  'tests/browser/test/sdk/return.test.ts',
  'tests/browser/test/widget/after-refusal.test.ts',
  'tests/browser/test/widget/back.test.ts',
  'tests/browser/test/widget/cancel.test.ts',
  'tests/browser/test/widget/elsewhere.test.ts',
  'tests/browser/test/widget/first-interaction.test.ts',
  'tests/browser/test/widget/flows.test.ts',
  'tests/browser/test/widget/in-a-page.test.ts',
  'tests/browser/test/widget/languages.test.ts',
  'tests/browser/test/widget/layout-shift.test.ts',
  'tests/browser/test/widget/lost-connection.test.ts',
  'tests/browser/test/widget/pictures.test.ts',
  'tests/browser/test/widget/return.test.ts',
  'tests/browser/test/widget/saved-cards.test.ts',
  'tests/browser/test/widget/screens.test.ts',
  'tests/browser/test/widget/stripe.test.ts',
  'tests/browser/test/widget/time-passes.test.ts',
  'tests/browser/test/widget/token-picker.test.ts',
  'tests/chaos/test/chaos.test.ts',
  'tests/chaos/test/file.test.ts',
  'tests/chaos/test/hostile.test.ts',
  'tests/contract/test/contract-on-express.test.ts',
  'tests/contract/test/contract-through-pgbouncer.test.ts',
  'tests/contract/test/strangers.test.ts',
  'tests/first-webhook/test/first-webhook.test.ts',
  'tests/histories/test/distribute.test.ts',
  'tests/histories/test/planted.test.ts',
  'tests/legs/test/demo-chain.test.ts',
  'tests/legs/test/edges.test.ts',
  'tests/legs/test/gauges.test.ts',
  'tests/legs/test/kills.test.ts',
  'tests/legs/test/legs-file.test.ts',
  'tests/legs/test/prices.test.ts',
  'tests/legs/test/rails.test.ts',
  'tests/legs/test/stripe.test.ts',
  'tests/legs/test/two-processes.test.ts',
  'tools/test/reproducible.test.ts',
];

/** No run has these but the commands that name them: `npm run test:webkit`, `npm run test:stripe`. */
export const ON_REQUEST = [
  ...(process.env.GATERAMP_TEST_WEBKIT === '1' ? [] : ['tests/browser/test/buyers/webkit.test.ts']),
  ...(process.env.GATERAMP_TEST_STRIPE === '1' ? [] : ['packages/adapters-fiat-stripe/test/sandbox.test.ts']),
];

/** The files that take longest, longest first: what a run begins with where no durations of an earlier one are known. */
export const SLOW: readonly string[] = [
  'tests/alarms/test/processes-1.test.ts',
  'tests/contract/test/contract-on-sqlite.test.ts',
  'tests/contract/test/contract-on-express.test.ts',
  'tests/browser/test/flows/purchases.test.ts',
  'sdks/node/test/faults.test.ts',
  'apps/cli/test/listen.test.ts',
  'packages/adapters-store-sqlite/test/crash.test.ts',
  'tests/browser/test/react/react.test.ts',
  'packages/adapters-queue-redis/test/redis-conformance.test.ts',
  'packages/core/test/http/http-transport.test.ts',
  'tests/browser/test/demo-shop/first-minute.test.ts',
  'apps/cli/test/commands.test.ts',
  'packages/adapters-store-sqlite/test/processes.test.ts',
];
