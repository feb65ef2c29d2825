import { readFileSync, writeFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { consoleApi } from '../src/index.js';
import { ENDPOINTS } from '../src/server/endpoints.js';
import { asOperator, twoPartners, type World } from './world.js';

interface Operation {
  readonly operationId: string;
  readonly 'x-roles': unknown;
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

const document = consoleApi() as unknown as Document;

/** Nouns that this world does not have: no payment was made, no request was refused, and there are no provider legs. */
const ABSENT = ['refid', 'request_id', '/operations/'];

/** A check of one reply against the document. */
function checkOf(schema: object) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  return ajv.compile({ ...schema, components: document.components });
}

describe('the OpenAPI document of the console', () => {
  it('is spec/console.json; npm run openapi regenerates it', () => {
    const file = new URL('../../../spec/console.json', import.meta.url);
    const text = `${JSON.stringify(consoleApi(), null, 2)}\n`;
    if (process.env['GATERAMP_WRITE_SPEC'] === '1') writeFileSync(file, text);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  let world: World;
  beforeAll(async () => {
    world = await twoPartners();
  });

  it('has every endpoint once, and every schema that it refers to', () => {
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(ids.toSorted()).toEqual(ENDPOINTS.map(({ name }) => name).toSorted());
    expect(new Set(ids).size).toBe(ids.length);
    const names = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(20);
    for (const name of new Set(names)) expect(Object.keys(document.components.schemas)).toContain(name);
    expect(JSON.stringify(document)).not.toContain('#/$defs');
  });

  it.each(
    ENDPOINTS.filter(({ method, name }) => method === 'GET' && name !== 'retrieveOpenApi').map(
      (one) => [one.path, one] as const,
    ),
  )('describes what %s answers', async (path, { success }) => {
    const schema =
      document.paths[`/console/v1${path}`]?.['get']?.responses[success]?.content?.['application/json']?.schema;
    if (schema === undefined) return;
    const check = checkOf(schema);
    const at = path.includes('{') ? world.acme.ids.map((id) => path.replace(/\{\w+\}/, id)) : [path];
    let answered = 0;
    for (const one of at) {
      const asked = one === '/search' ? `/search?q=${world.acme.ids[1] ?? ''}` : one;
      const answer = await asOperator(world, asked, { role: 'admin' });
      if (answer.status !== success || answer.headers.get('content-type')?.includes('json') !== true) continue;
      answered += 1;
      expect([asked, check(await answer.json()), check.errors]).toEqual([asked, true, null]);
    }
    const isHere = path.includes('{') && !ABSENT.some((name) => path.includes(name));
    if (isHere) expect(answered).toBeGreaterThan(0);
  });
});
