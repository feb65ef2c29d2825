/**
 * The rings, as rules. A ring may import what its list names and nothing else: not another ring, not a package, not a Node built-in.
 * Type-only imports count: a type that leaks inwards is a dependency all the same.
 */
const npm = (...names) => names.map((name) => `(^|/)node_modules/${name}/`);
const ring = (name) => `^packages/core/src/${name}/`;
/** A core file that is in no ring (gate.ts, index.ts) composes the rings. */
const composer = '^packages/core/src/[^/]+$';
const source = '^(packages|sdks|apps)/[^/]+/src/';
/** Of the console, its page: the other half of that app is a server. */
const webApp = '^apps/(widget|demo-shop|console/src/web)/';

const mayImportOnly = (from, allowed, to = {}) => ({
  name: `ring-${from}`,
  severity: 'error',
  comment: `packages/core/src/${from} may import only: ${allowed.join(', ')}`,
  from: { path: ring(from) },
  to: { pathNot: allowed, ...to },
});

/** Third-party packages that belong to one adapter: `[package, who may import it]`. Apps compose, so they may import any. */
const owners = [
  ['express', 'packages/adapters-http-express'],
  ['fastify', 'packages/adapters-http-fastify'],
  ['pg', 'packages/adapters-store-(postgres|citus)'],
  ['libsql', 'packages/adapters-store-sqlite'],
  ['viem', 'packages/adapters-chain-evm'],
  ['stripe', 'packages/adapters-fiat-stripe'],
  ['ioredis', 'packages/adapters-(queue|limits)-redis'],
  ['rate-limiter-flexible', 'packages/adapters-limits-redis'],
  ['@opentelemetry', 'packages/telemetry-otel'],
];

module.exports = {
  forbidden: [
    mayImportOnly('domain', [ring('domain'), ...npm('neverthrow')]),
    mayImportOnly('ports', [ring('ports'), ring('domain')]),
    mayImportOnly('application', [ring('application'), ring('ports'), ring('domain'), ...npm('neverthrow')]),
    mayImportOnly('http', [
      ring('http'),
      ring('application'),
      ring('ports'),
      ring('domain'),
      ...npm('neverthrow', 'zod'),
    ]),
    mayImportOnly('runtime', [ring('runtime'), ring('ports'), ring('domain'), ...npm('jose', 'undici')], {
      dependencyTypesNot: ['core'],
    }),
    {
      name: 'core-imports-no-adapter',
      severity: 'error',
      comment: 'The engine knows no adapter, app, SDK or test kit; it composes its own rings and nothing else of ours.',
      from: { path: '^packages/core/src/' },
      to: { path: ['^(packages|apps)/', '^@gateramp/'], pathNot: '^packages/core/src/' },
    },
    {
      name: 'core-has-four-dependencies',
      severity: 'error',
      comment: 'The engine depends on neverthrow, zod, jose and undici. A fifth is a decision, not an import.',
      from: { path: composer },
      to: {
        pathNot: ['^packages/core/src/', ...npm('neverthrow', 'zod', 'jose', 'undici')],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'public-subpaths-only',
      severity: 'error',
      comment:
        'Import @gateramp/core by `.`, `./domain`, `./ports`, `./http`, `./runtime`, `./extension` or `./purchases`: ours may use only what strangers can.',
      from: { path: source, pathNot: '^packages/core/' },
      to: {
        path: '^packages/core/',
        pathNot:
          '^packages/core/(src|dist)/(domain/|ports/|http/|runtime/|extension/|purchases/)?index\\.(ts|js|d\\.ts)$',
      },
    },
    {
      name: 'no-import-across-packages-by-path',
      severity: 'error',
      comment: 'Another package is imported by its name, never by a relative path into its folder.',
      from: { path: '^((?:packages|sdks|apps)/[^/]+)/src/' },
      to: {
        path: '^(packages|sdks|apps)/',
        pathNot: '^$1/',
        dependencyTypes: ['local'],
        dependencyTypesNot: ['aliased-workspace'],
      },
    },
    {
      name: 'adapters-stand-alone',
      severity: 'error',
      comment:
        'An adapter or extension imports the engine, the ports of an extension, of the provider legs or of a move, never an adapter. The test kits and the apps compose them. What both Redis adapters need of a connection, and what Citus needs of the store on Postgres, is a subpath of one.',
      from: { path: '^(packages/(?:adapters-[^/]+|extensions|provider-legs|store-move))/src/' },
      to: {
        path: ['^packages/', '^apps/', '^@gateramp/'],
        pathNot: [
          '^$1/',
          '^packages/(core|extensions|provider-legs|store-move)/',
          '^packages/adapters-queue-redis/(src|dist)/connection/index\\.(ts|js|d\\.ts)$',
          '^packages/adapters-store-postgres/(src|dist)/distribution/index\\.(ts|js|d\\.ts)$',
        ],
      },
    },
    {
      name: 'sdks-stand-apart',
      severity: 'error',
      comment:
        'An SDK knows the service by spec/ and the wire alone. It imports nothing of packages/, not even a type.',
      from: { path: '^sdks/' },
      to: { path: ['^packages/', '^@gateramp/(core|adapters-|testing|conformance)'] },
    },
    {
      name: 'web-apps-never-import-core',
      severity: 'error',
      comment:
        'The checkout page, the demo shop and the page of the console speak to the service as strangers do: through an SDK or HTTP.',
      from: { path: webApp },
      to: { path: ['^packages/core/', '^@gateramp/core'] },
    },
    {
      name: 'web-apps-carry-no-core',
      severity: 'error',
      comment: 'Nor does what a web app imports bring the engine with it.',
      from: { path: ['^apps/(widget|demo-shop)/src/', '^apps/console/src/web/'] },
      to: { path: '^packages/core/', reachable: true },
    },
    {
      name: 'console-page-knows-no-server',
      severity: 'error',
      comment: 'The page of the console speaks to `/console/v1` alone, so that nothing in it is missing from that API.',
      from: { path: '^apps/console/src/web/' },
      to: { path: '^apps/console/src/', pathNot: '^apps/console/src/web/' },
    },
    {
      name: 'no-app-imports-another',
      severity: 'error',
      comment: 'What two apps need is a package.',
      from: { path: '^apps/([^/]+)/', pathNot: '^apps/reference-server/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'server-takes-apps-by-their-entry',
      severity: 'error',
      comment:
        'The reference server composes: it serves the other apps, and knows of each no more than the server entry it publishes.',
      from: { path: '^apps/reference-server/' },
      to: { path: '^apps/', pathNot: ['^apps/reference-server/', '^apps/[^/]+/(src|dist)/(server/)?index\\.(ts|js)$'] },
    },
    {
      name: 'test-kits-are-for-tests',
      severity: 'error',
      comment: 'Only tests, and one kit the other, import packages/testing or packages/conformance.',
      from: { path: source, pathNot: '^packages/(testing|conformance)/' },
      to: { path: '^packages/(testing|conformance)/' },
    },
    {
      name: 'testing-needs-no-laws',
      severity: 'error',
      comment: 'Who asks for createTestGate gets neither the laws nor fast-check.',
      from: { path: '^packages/testing/src/' },
      to: { path: ['^packages/conformance/', ...npm('fast-check')] },
    },
    ...owners.map(([name, owner]) => ({
      name: `${name}-in-its-adapter`,
      severity: 'error',
      comment: `${name} is imported in ${owner} and in apps, nowhere else.`,
      from: { path: '^packages/[^/]+/src/', pathNot: `^${owner}/` },
      to: { path: [...npm(name), ...npm(`@types/${name}`), `^${name}$`] },
    })),
    {
      name: 'no-test-runner-in-source',
      severity: 'error',
      comment: 'Source runs in any runner: the conformance laws are handed `describe` and `it`.',
      from: { path: source },
      to: { path: [...npm('vitest', '@vitest/[^/]+', '@fast-check/vitest'), '^vitest$'] },
    },
    {
      name: 'no-test-code-in-source',
      severity: 'error',
      comment: 'Source never imports test code.',
      from: { path: source },
      to: { path: '^((packages|sdks|apps)/[^/]+|tools)/test/|^tests/' },
    },
    { name: 'no-cycles', severity: 'error', comment: 'Imports form no circle.', from: {}, to: { circular: true } },
    {
      name: 'resolvable',
      severity: 'error',
      comment: 'Every import leads somewhere (and a subpath that a package does not export leads nowhere).',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: '(^|/)node_modules/' },
    exclude: { path: '(^|/)(dist|coverage)/|^apps/create-gateramp/templates/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@gateramp/source', 'import', 'module', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
