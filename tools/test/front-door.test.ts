import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

import { root } from '../lib/workspaces.mjs';

/** `.` is what an embedder types. What only adapters and tests name belongs to `./domain`, `./ports`, `./http` or `./runtime`. */
const EXPORTS_MAX = 25;

interface Exported {
  readonly name: string;
  readonly isDocumented: boolean;
}

const RINGS = ['domain', 'ports', 'http', 'runtime'];
const entries = ['.', ...RINGS].map((folder) => join(root, 'packages/core/src', folder, 'index.ts'));
const program = ts.createProgram(entries, {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  noEmit: true,
  skipLibCheck: true,
});
const checker = program.getTypeChecker();

/** What a module exports, and whether its editor would say anything about it. */
function exportsOf(folder: string): readonly Exported[] {
  const source = program.getSourceFile(join(root, 'packages/core/src', folder, 'index.ts'));
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${folder} has no module.`);
  return membersOf(module, '');
}

/** A module that is exported under a name (`decimal`) is each of its own exports. */
function membersOf(module: ts.Symbol, prefix: string): readonly Exported[] {
  return checker.getExportsOfModule(module).flatMap((symbol) => {
    const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    const target = isAlias ? checker.getAliasedSymbol(symbol) : symbol;
    const name = `${prefix}${symbol.name}`;
    if ((target.flags & ts.SymbolFlags.ValueModule) !== 0) return membersOf(target, `${name}.`);
    return [{ name, isDocumented: target.getDocumentationComment(checker).length > 0 }];
  });
}

const undocumented = (all: readonly Exported[]) => all.filter((one) => !one.isDocumented).map(({ name }) => name);

it('shows an embedder few names at the front door, each with a sentence', () => {
  const all = exportsOf('.');
  expect(undocumented(all)).toEqual([]);
  expect(all.length).toBeGreaterThan(20);
  expect(all.length).toBeLessThanOrEqual(EXPORTS_MAX);
});

it.each(RINGS)('says a sentence of everything that ./%s exports', (ring) => {
  const all = exportsOf(ring);
  expect(undocumented(all)).toEqual([]);
  expect(all.length).toBeGreaterThan(0);
});
