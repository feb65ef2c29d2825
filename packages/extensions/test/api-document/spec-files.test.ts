import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EVENTS } from '@gateramp/core/extension';
import { routesOf } from '@gateramp/core/http';
import { eventCatalogue, openApiDocument } from '@gateramp/extensions/api-document';
import { pools } from '@gateramp/extensions/pools';
import { sandbox } from '@gateramp/extensions/sandbox';
import { MEMBER_DESCRIPTIONS } from '../../src/api-document/member-descriptions.js';
import { OPERATION_DESCRIPTIONS } from '../../src/api-document/operation-descriptions.js';

const root = new URL('../../../../', import.meta.url);

/** The engine with all its extensions. */
const ROUTES = routesOf([pools(), sandbox()]);
const ENDPOINTS = ROUTES.endpoints;

const FILES = [
  { file: 'spec/openapi.json', document: openApiDocument({ routes: ROUTES }) },
  { file: 'spec/events.json', document: eventCatalogue() },
] as const;

it.each(FILES)('$file is current; npm run openapi regenerates it', ({ file, document }) => {
  const text = `${JSON.stringify(document, null, 2)}\n`;
  if (process.env['GATERAMP_WRITE_SPEC'] === '1') {
    mkdirSync(new URL('spec/', root), { recursive: true });
    writeFileSync(new URL(file, root), text);
  }
  expect(readFileSync(new URL(file, root), 'utf8')).toBe(text);
});

it('all references of the documents resolve', () => {
  for (const { document } of FILES) {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(10);
    for (const [, name] of references) expect(Object.keys(document.components.schemas)).toContain(name);
  }
});

it('replies are open, bodies are closed, and both have complete examples', () => {
  const schemas: Readonly<Record<string, unknown>> = openApiDocument({ routes: ROUTES }).components.schemas;
  expect(schemas['GateSession']).not.toHaveProperty('additionalProperties', false);
  expect(schemas['CreateGateSession']).toHaveProperty('additionalProperties', false);
  expect(schemas['GateSession']).toMatchObject({ examples: [{ id: expect.any(String) }] });
});

it('reads are called list or retrieve, by operation id and summary', () => {
  const reads = ENDPOINTS.filter(({ method, path }) => method === 'GET' && path.startsWith('/v1/'));
  expect(reads.length).toBeGreaterThan(20);
  for (const { name, summary } of reads) {
    const [verb] = /^(List|Retrieve)(?= )/.exec(summary) ?? [summary];
    expect(/^[a-z]+/.exec(name)?.[0], name).toBe(verb.toLowerCase());
  }
});

it('a list of values names each once, with no length or pattern beside it', () => {
  const lists = FILES.flatMap(({ document }) => valuesIn(JSON.parse(JSON.stringify(document))));
  expect(lists.length).toBeGreaterThan(100);
  for (const { enum: values, minLength, maxLength, pattern } of lists) {
    expect([...new Set(values)]).toEqual(values);
    // Generators of clients accept values or a form, not both.
    expect([minLength, maxLength, pattern], String(values)).toEqual([undefined, undefined, undefined]);
  }
});

it('no other member of a reply or event may be absent than those that the specification marks (Conventions 5)', () => {
  const text = readFileSync(new URL('docs/specification.md', root), 'utf8');
  const [, marked = ''] = /^5\. An absent optional member is `null`(.*?)^6\. /ms.exec(text) ?? [];
  const absent = FILES.flatMap(({ document }) => absentIn(JSON.parse(JSON.stringify(document.components.schemas))));
  expect(new Set(absent)).toEqual(
    new Set([...marked.matchAll(/`(\w+)`/g)].map(([, name]) => name).filter((name) => name !== 'kyc')),
  );
});

it('every schema has a description', () => {
  for (const { file, document } of FILES) {
    for (const [name, { description }] of Object.entries(document.components.schemas))
      expect(description, `${name} of ${file}`).toMatch(/^[A-Z][^\n]{10,110}\.$/);
  }
});

describe('descriptions', () => {
  const document = JSON.parse(JSON.stringify(openApiDocument({ routes: ROUTES }))) as Json;
  const catalogue = JSON.parse(JSON.stringify(eventCatalogue())) as Json;

  it('exist for every operation, event and parameter', () => {
    const operations = [document['paths'], document['webhooks']].flatMap((paths) =>
      Object.values(paths as Json).flatMap((path) => Object.values(path as Json)),
    ) as Json[];
    expect(operations.length).toBeGreaterThan(ENDPOINTS.length);
    for (const operation of operations) {
      expect(operation['description'], String(operation['operationId'])).toMatch(SENTENCE);
      for (const parameter of (operation['parameters'] ?? []) as Json[])
        expect(parameter['description'], `${String(operation['operationId'])} ${String(parameter['name'])}`).toMatch(
          SENTENCE,
        );
    }
    for (const { name } of ENDPOINTS) expect(OPERATION_DESCRIPTIONS, name).toHaveProperty([name]);
  });

  it('exist for every member of every schema', () => {
    const missing = [...membersWithout(document), ...membersWithout(catalogue)];
    expect([...new Set(missing)]).toEqual([]);
  });

  it('have no entry for members that no longer exist', () => {
    const text = JSON.stringify(document);
    const unused = Object.entries({ ...MEMBER_DESCRIPTIONS, ...OPERATION_DESCRIPTIONS }).filter(
      ([, sentence]) => !text.includes(JSON.stringify(sentence).slice(1, -1)),
    );
    expect(unused.map(([name]) => name)).toEqual([]);
  });

  it('contain the rate limit of every operation that has one', () => {
    for (const { name, path, method, limits } of ENDPOINTS) {
      const operation = (document['paths'] as Record<string, Json>)[path]?.[method.toLowerCase()] as Json;
      const stated = limits?.map(({ limit, windowMs }) => ({ limit, window_seconds: windowMs / 1000 }));
      expect(operation['x-rate-limits'], name).toEqual(stated);
    }
  });
});

type Json = { readonly [name: string]: unknown };

const SENTENCE = /^\S[^\n]{2,}\.$/;

/** Paths of members without a description, in every schema of a document. */
function membersWithout(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => membersWithout(one, path));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([keyword, inner]) => {
    if (keyword === 'examples' || keyword === 'example') return [];
    const members = keyword === 'properties' ? Object.entries(inner as Record<string, Json>) : [];
    const missing = members
      // A refusal narrows the code of the error schema, which is described there.
      .filter(([name, member]) => !('description' in member) && !(name === 'code' && 'enum' in member))
      .map(([name]) => `${path}.${name}`);
    return [...missing, ...membersWithout(inner, keyword === 'properties' ? path : `${path}.${keyword}`)];
  });
}

/** Members that may be absent from an open object. Bodies are closed. */
function absentIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { properties = {}, required = [] } = value as { readonly properties?: Json; readonly required?: string[] };
  const isClosed = 'additionalProperties' in value && value.additionalProperties === false;
  const absent = isClosed ? [] : Object.keys(properties).filter((name) => !required.includes(name));
  const inner = Object.entries(value).filter(([name]) => name !== 'examples' && name !== 'example');
  return [...absent, ...inner.flatMap(([, one]) => absentIn(one))];
}

/** The schemas with a list of values. */
function valuesIn(value: unknown): Array<Json & { readonly enum: unknown[] }> {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(valuesIn);
  return 'enum' in value && Array.isArray(value.enum) ? [{ ...value, enum: value.enum }, ...inner] : inner;
}

it.each(ENDPOINTS.map(({ reply }) => reply))('the example of $name is valid', ({ schema, example }) => {
  expect(schema.safeParse(example).error?.issues ?? []).toEqual([]);
});

it.each(Object.entries(EVENTS))('the example of %s is valid', (_, { data }) => {
  expect(data.schema.safeParse(data.example).error?.issues ?? []).toEqual([]);
});
