import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../../tools/lib/workspaces.mjs';
import { complaints, generateTypes } from '../compile.js';
import { lint } from '../lint.js';

const FILE = join(root, 'spec/openapi.json');
const TEXT = readFileSync(FILE, 'utf8');

describe('a public linter', () => {
  it('finds no error in the document, and warns of nothing', async () => {
    expect(await lint(FILE)).toEqual([]);
  });

  it('would find a reference that leads nowhere, and a path parameter that is not described', async () => {
    const broken = TEXT.replace(
      '"$ref": "#/components/schemas/GateSession"',
      '"$ref": "#/components/schemas/Nothing"',
    ).replace('"/v1/events/{id}"', '"/v1/events/{event}"');
    const file = join(mkdtempSync(join(tmpdir(), 'gateramp-lint-')), 'openapi.json');
    writeFileSync(file, broken);
    const found = (await lint(file)).filter(({ severity }) => severity === 'error').map(({ ruleId }) => ruleId);
    expect(found).toEqual(expect.arrayContaining(['no-unresolved-refs', 'path-parameters-defined']));
  });
});

/** Written against the types alone, as an engineer does who has nothing but the document. */
const CLIENT = `
import createClient from 'openapi-fetch';
import type { paths } from './generated-types.js';

const gate = createClient<paths>({ baseUrl: 'http://127.0.0.1:4242', headers: { authorization: 'Bearer sk_test_…' } });

export async function open(): Promise<string> {
  const { data, error } = await gate.POST('/v1/gate_sessions', {
    params: { header: { 'Idempotency-Key': '7c9e6679-7425-40de-944b-e07fc1f90ae7' } },
    body: { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' },
  });
  if (error !== undefined) throw new Error(error.code);
  return data.client_secret;
}

export async function refids(): Promise<readonly string[]> {
  const { data } = await gate.GET('/v1/transactions', { params: { query: { limit: 100 } } });
  return data?.data.map(({ refid }) => refid) ?? [];
}

export async function status(id: string): Promise<'open' | 'completed' | 'expired' | 'cancelled' | undefined> {
  const { data } = await gate.GET('/v1/gate_sessions/{id}', { params: { path: { id } } });
  return data?.status;
}

export async function wrong(): Promise<unknown> {
  // @ts-expect-error there is no such path
  await gate.GET('/v1/transaction');
  // @ts-expect-error money is text
  await gate.POST('/v1/quotes/preview', { body: { ...ASK, amount: 100 } });
  const { data } = await gate.POST('/v1/quotes/preview', { body: ASK });
  // @ts-expect-error there is no such member
  return data?.price;
}

const ASK = { currency: 'EUR', asset: 'USDC', amount: '100.00', side: 'on_ramp', country_code: 'DE' } as const;
`;

describe('a public generator', () => {
  it('makes a client of the document that compiles under our own options, and knows our paths, bodies and members', async () => {
    expect(complaints(await generateTypes(TEXT), CLIENT)).toEqual([]);
  });
});
