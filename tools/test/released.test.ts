import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONTRACT } from '@gateramp/core/ports';
import { expect, it } from 'vitest';

import { comparePortTypes, portTypes } from '../lib/port-types.mjs';
import { root } from '../lib/workspaces.mjs';
import { differencesBetween, promisesNow, releasedPromises } from '../released.js';

const STORE = 'packages/core/src/ports/store.ts';
const QUOTE = 'packages/core/src/domain/quote/quote.ts';
const now = promisesNow();

/** A text with one change, which must be possible. */
function changed(text: string, from: string, to: string): string {
  expect(text).toContain(from);
  return text.replace(from, to);
}

it('a change of a comment changes no record; that of a port, or of a type that a port mentions, does', () => {
  const edited = (edits: readonly (readonly [path: string, from: string, to: string])[]) =>
    portTypes({
      edits: Object.fromEntries(
        edits.map(([path, from, to]) => [path, changed(readFileSync(join(root, path), 'utf8'), from, to)]),
      ),
    });
  expect(edited([[STORE, '/** The next due item. */', '// Otherwise said.\n\n']])).toBe(now.ports);

  const members = edited([
    [STORE, 'reap(request: ReapRequest): Promise<number>;', '$& more?(): void;'],
    [QUOTE, 'export interface Quote {', '$& readonly more?: string;'],
  ]);
  expect(comparePortTypes(now.ports, members)).toEqual({
    changed: [`EngineStore (${STORE}) was changed`, `Quote (${QUOTE}) was changed`],
    broken: [],
  });
});

const REAP = '    reap(request: ReapRequest): Promise<number>;\n';

it.each([
  ['an optional method', REAP, `${REAP}    other?(): void;\n`],
  ['a member that adapters only receive', 'interface StartOrder extends OperationOrder {', '$& readonly more: string;'],
  ['a method that is no longer required', REAP, ''],
  ['another export', 'export interface DueItem {', 'export interface More { }\n$&'],
])('breaks no adapter: %s', (_, from, to) => {
  const { changed: lines, broken } = comparePortTypes(now.ports, changed(now.ports, from, to));
  expect([lines.length, broken]).toEqual([1, []]);
});

it.each([
  ['another method', REAP, `${REAP}    other(): void;\n`, /^Store: Property 'other' is missing/],
  [
    'a member that is gone from a request',
    '    readonly kycPreVerified: boolean;\n',
    '',
    /^Provider: .*kycPreVerified/,
  ],
  [
    'a narrower parameter',
    '(callback: RawCallback): Promise<FiatCallback>',
    '(callback: 1): Promise<FiatCallback>',
    /^FiatLeg: /,
  ],
  ['an answer with another member', 'export interface Quote {', '$& readonly more: string;', /^Provider: .*'more'/],
  ['another noun of rows', 'export interface RowsByKey {', '$& more: { key: []; row: string };', /^Store: .*"more"/],
  ['an export that is gone', 'function emptyChange(', 'function noChange(', /^emptyChange is gone$/],
  [
    'a function with another parameter',
    'emptyChange(scope: Scope,',
    'emptyChange(more: 1, scope: Scope,',
    /^emptyChange: /,
  ],
])('breaks an adapter: %s', (_, from, to, says) => {
  const { changed: lines, broken } = comparePortTypes(now.ports, changed(now.ports, from, to));
  expect(lines.length).toBeGreaterThan(0);
  expect(broken[0]).toMatch(says);
});

it('compares laws by their titles, and the OpenAPI document', () => {
  const [first = ''] = now.laws.split('\n');
  const without = now.laws.replace(`${first}\n`, '');
  expect(differencesBetween(now, { ...now, laws: without })).toEqual({
    changed: [`law removed: ${first}`],
    broken: [`law removed: ${first}`],
  });
  expect(differencesBetween({ ...now, laws: without }, now)).toEqual({ changed: [`law added: ${first}`], broken: [] });
  for (const laws of ['storeLaws', 'providerLaws', 'chainLegLaws', 'httpTransportLaws'])
    expect(now.laws).toMatch(new RegExp(`^${laws} \\| .+ \\| .+$`, 'm'));

  const grown = JSON.parse(JSON.stringify(now.api));
  grown.paths['/v1/more'] = {};
  expect(differencesBetween(now, { ...now, api: grown })).toEqual({
    changed: ['OpenAPI document: /paths//v1/more was changed'],
    broken: [],
  });
  expect(differencesBetween({ ...now, api: grown }, now).broken).toEqual(['/paths//v1/more is gone']);
});

it('the contract has increased since a release whose adapters a port would break', () => {
  const { ports } = releasedPromises();
  const released = Number(/ CONTRACT = (\d+);/.exec(ports)?.[1]);
  const { broken } = comparePortTypes(ports, now.ports);
  expect(released).toBeGreaterThan(0);
  if (broken.length > 0) expect({ broken, CONTRACT }).toEqual({ broken, CONTRACT: released + 1 });
});
