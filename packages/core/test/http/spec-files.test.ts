import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ENDPOINTS } from '../../src/http/endpoints.js';
import { docsPage } from '../../src/http/openapi/docs-page.js';
import { eventCatalogue, openApiDocument } from '../../src/http/openapi/open-api-document.js';
import { EVENTS } from '../../src/http/webhooks/events.js';

const root = new URL('../../../../', import.meta.url);

const FILES = [
  { file: 'spec/openapi.json', document: openApiDocument() },
  { file: 'spec/events.json', document: eventCatalogue() },
] as const;

it.each(FILES)('$file is what the tables say; npm run openapi writes it anew', ({ file, document }) => {
  const text = `${JSON.stringify(document, null, 2)}\n`;
  if (process.env['GATERAMP_WRITE_SPEC'] === '1') {
    mkdirSync(new URL('spec/', root), { recursive: true });
    writeFileSync(new URL(file, root), text);
  }
  expect(readFileSync(new URL(file, root), 'utf8')).toBe(text);
});

it('every reference of the documents leads somewhere', () => {
  for (const { document } of FILES) {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(10);
    for (const [, name] of references) expect(Object.keys(document.components.schemas)).toContain(name);
  }
});

it('answers are open, bodies are closed, and both have whole examples', () => {
  const schemas: Readonly<Record<string, unknown>> = openApiDocument().components.schemas;
  expect(schemas['GateSession']).not.toHaveProperty('additionalProperties', false);
  expect(schemas['CreateGateSession']).toHaveProperty('additionalProperties', false);
  expect(schemas['GateSession']).toMatchObject({ examples: [{ id: expect.any(String) }] });
});

it('every shape has a sentence, in the documents and on the page', () => {
  const page = docsPage(openApiDocument());
  for (const { file, document } of FILES) {
    for (const [name, { description }] of Object.entries(document.components.schemas)) {
      expect(description, `${name} of ${file}`).toMatch(/^[A-Z][^\n]{10,110}\.$/);
      expect(page).toContain(`<h3>${name}</h3><p>${String(description)}</p>`);
    }
  }
});

it.each(ENDPOINTS.map(({ reply }) => reply))('the example of $name is one', ({ schema, example }) => {
  expect(schema.safeParse(example).error?.issues ?? []).toEqual([]);
});

it.each(Object.entries(EVENTS))('the example of %s is one', (_, { data }) => {
  expect(data.schema.safeParse(data.example).error?.issues ?? []).toEqual([]);
});
