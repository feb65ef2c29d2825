import js from '@eslint/js';
import tseslint from 'typescript-eslint';

import { webPrograms } from './tools/lib/workspaces.mjs';

/** The rings in which time and chance are values handed in through ports, never taken from the machine. */
const pureRings = ['domain', 'ports', 'application', 'http'].map((ring) => `packages/core/src/${ring}/**/*.ts`);

const throughPorts = 'Time, chance and the machine enter only through ports.';
const readEnvInConfig =
  'Only config*.ts of the reference server and environment.ts of the CLI read the environment; take a value instead.';

const noEnvironment = {
  'no-restricted-properties': ['error', { object: 'process', property: 'env', message: readEnvInConfig }],
};
const envImport = { name: 'node:process', importNames: ['env'], message: readEnvInConfig };

export default tseslint.config(
  // The page of a consumer is compiled where the packages are installed from their tarballs, and in no program of ours.
  {
    ignores: [
      ...['**/dist/', '**/node_modules/', '**/coverage/', '**/*.py', '**/.next/', '**/next-env.d.ts'],
      'tests/consumers/page/',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },

  js.configs.recommended,
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'process',
          'console',
          'Buffer',
          'URL',
          'URLSearchParams',
          'fetch',
          'performance',
          'setTimeout',
          'clearTimeout',
          'setInterval',
        ]
          .concat([
            'clearInterval',
            'setImmediate',
            'AbortController',
            'AbortSignal',
            'TextEncoder',
            'TextDecoder',
            'structuredClone',
          ])
          .map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: { globals: { module: 'writable', require: 'readonly', __dirname: 'readonly' } },
  },
  {
    files: ['tests/consumers/runtimes/*.{mjs,cjs}'],
    languageOptions: {
      globals: Object.fromEntries(
        ['Bun', 'Deno', 'Request', 'Response', 'addEventListener', 'globalThis', 'atob'].map((name) => [
          name,
          'readonly',
        ]),
      ),
    },
  },
  {
    files: ['tests/consumers/jest/**/*.js'],
    languageOptions: { globals: { require: 'readonly', test: 'readonly', expect: 'readonly' } },
  },

  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ['tsconfig.json', ...webPrograms()],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      // The promise of node:test's `test` is the runner's own business.
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', package: 'node:test', name: ['test'] }] },
      ],
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: false },
      ],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/return-await': ['error', 'in-try-catch'],
      // Ports are asynchronous; an adapter that answers at once (memory, tests) still has to be `async` to turn throws into rejections.
      '@typescript-eslint/require-await': 'off',
      eqeqeq: ['error', 'always'],
    },
  },
  {
    files: ['packages/*/src/**/*.{ts,tsx}', 'sdks/*/src/**/*.{ts,tsx}', 'apps/*/src/**/*.{ts,tsx}'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'error',
      'no-restricted-imports': ['error', { paths: [envImport] }],
      ...noEnvironment,
    },
  },
  {
    files: ['packages/*/src/**/*.{ts,tsx}', 'sdks/*/src/**/*.{ts,tsx}'],
    rules: { 'no-console': 'error' },
  },
  {
    files: pureRings,
    rules: {
      'no-restricted-globals': [
        'error',
        ...['process', 'crypto', 'performance', 'setTimeout', 'setInterval', 'setImmediate', 'globalThis', 'fetch'].map(
          (name) => ({
            name,
            message: throughPorts,
          }),
        ),
      ],
      'no-restricted-imports': [
        'error',
        {
          paths: [
            'crypto',
            'node:crypto',
            'process',
            'node:process',
            'timers',
            'node:timers',
            'timers/promises',
            'node:timers/promises',
          ].map((name) => ({ name, message: throughPorts })),
        },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: "MemberExpression[object.name='Date'][property.name='now']", message: throughPorts },
        { selector: "MemberExpression[object.name='Math'][property.name='random']", message: throughPorts },
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: throughPorts },
        { selector: "CallExpression[callee.name='Date']", message: throughPorts },
      ],
    },
  },
  {
    files: ['apps/reference-server/src/config*.ts', 'apps/cli/src/environment.ts'],
    rules: { 'no-restricted-properties': 'off', 'no-restricted-imports': 'off' },
  },
  {
    // Tests read JSON bodies and pass methods around; their claims are checked by running them.
    files: ['**/test/**/*.{ts,tsx}', 'bench/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
);
