import { consoleApi } from '@gateramp/console';
import { describe, expect, it } from 'vitest';
import { needsOf } from '../../../apps/console/src/web/app/needs.js';
import { OPERATOR_PAGES, PARTNER_PAGES } from '../../../apps/console/src/web/app/route.js';
import type { Me } from '../../../apps/console/src/web/wire/types.js';
import { complaints, generateTypes } from '../compile.js';

const OPERATOR: Me = {
  actor: { type: 'operator', id: 'olga' },
  roles: ['admin'],
  kind: 'operator',
  partner: null,
  mode: null,
  partners: [],
  expires_at: null,
  features: {
    test_clock: true,
    checkout_preview: null,
    alarms: true,
    legs: true,
    wallets: true,
    trail: true,
    passkeys: true,
  },
};

/** The cast holds for every OpenAPI document. */
const { paths } = consoleApi() as { readonly paths: object };
const PATHS = Object.keys(paths);

/** The path of the document that a need reads. */
function documented(path: string): string {
  const read = `/console/v1/${path.replace(/\?.*/, '').replace(/\/x(?=\/|$)/, '/{}')}`;
  return PATHS.find((one) => one.replaceAll(/\{\w+\}/g, '{}') === read) ?? read;
}

/** Every read of a page, by the name of its resource. */
const READS = new Map(
  [...PARTNER_PAGES, ...OPERATOR_PAGES]
    .flatMap((name) => needsOf({ name, id: 'x', query: {} }, OPERATOR))
    .map(({ name, path }) => [name, documented(path)] as const),
);

/** Objects of `/v1` whose fields the document of the console does not repeat may be anything. */
function withoutOpaque(node: unknown): unknown {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map(withoutOpaque);
  // The cast holds for every object.
  const { additionalProperties: others, properties } = node as Readonly<Record<string, unknown>>;
  const isOpaque =
    properties === undefined && typeof others === 'object' && others !== null && Object.keys(others).length === 0;
  if (isOpaque) return { $ref: '#/components/schemas/Opaque' };
  return Object.fromEntries(Object.entries(node).map(([name, inner]) => [name, withoutOpaque(inner)]));
}

/** The types of every answer. What the document leaves open has the type `any`. */
async function answers(document: object): Promise<string> {
  const open = withoutOpaque(document) as { readonly components: { readonly schemas: object } };
  const schemas = { ...open.components.schemas, Opaque: {} };
  const types = await generateTypes(JSON.stringify({ ...open, components: { ...open.components, schemas } }));
  return types.replaceAll(/\bunknown\b/g, 'any');
}

const CLIENT = [
  "import type { paths } from './generated-types.js';",
  "import type { Resources } from '../../apps/console/src/web/app/needs.js';",
  "import type { Doors, Found, List, Me } from '../../apps/console/src/web/wire/types.js';",
  'type Answer<Path extends keyof paths> = paths[Path] extends { get: { responses: { 200: { content: infer Content } } } }',
  '  ? Content[keyof Content] : never;',
  ...[
    ...[...READS].map(([name, path]) => [`Resources['${name}']`, path]),
    ['Me', documented('me')],
    ['Doors', documented('doors')],
    ["Pick<List<Found>, 'data'>", documented('search')],
  ].map(
    ([type, path], nth) =>
      `export const read${nth} = (answer: Answer<'${path}'>): ${type} => answer;
       export const isKnown${nth}: [Answer<'${path}'>] extends [never] ? false : true = true;`,
  ),
].join('\n');

describe('the types of the page of the console', () => {
  it('accept every answer that the document of its API describes', { timeout: 120_000 }, async () => {
    expect(READS.size).toBeGreaterThan(30);
    expect(complaints(await answers(consoleApi()), CLIENT)).toEqual([]);
  });

  it('do not accept a renamed field, nor one of another type', { timeout: 120_000 }, async () => {
    const changed = JSON.stringify(consoleApi())
      .replaceAll('"paid_out"', '"paid"')
      .replaceAll('"pending_sends":{"type":"integer"', '"pending_sends":{"type":"string"');
    const found = complaints(await answers(JSON.parse(changed) as object), CLIENT).join('\n');
    for (const part of ["Property 'paid_out' is missing", "'pending_sends' are incompatible"])
      expect(found).toContain(part);
  });
});
