import { join, relative } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

import { entriesOf, root, workspacesInOrder } from '../lib/workspaces.mjs';

/**
 * `.` contains the exports that an embedder types. Exports for adapters and tests belong to `./domain`, `./ports`, `./http` or `./runtime`.
 */
const EXPORTS_MAX = 25;

interface Exported {
  readonly name: string;
  readonly isDocumented: boolean;
}

const CORE = 'packages/core/src/index.ts';

/** The source behind every subpath of every published package. */
const doors: readonly string[] = workspacesInOrder()
  .filter(({ manifest }) => manifest.private !== true)
  .flatMap(({ dir, manifest }) => Object.values(entriesOf({ dir, manifest }).entries).map((entry) => join(dir, entry)))
  .map((path) => relative(root, path).replaceAll('\\', '/'));

const program = ts.createProgram(
  doors.map((door) => join(root, door)),
  {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    customConditions: ['@gateramp/source'],
    jsx: ts.JsxEmit.Preserve,
    noEmit: true,
    skipLibCheck: true,
  },
);
const checker = program.getTypeChecker();

/** The exports of a module, and whether each has a docstring. */
function exportsOf(door: string): readonly Exported[] {
  const source = program.getSourceFile(join(root, door));
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${door} is no module.`);
  return membersOf(module, '');
}

/** A module that is exported under a name (`decimal`) counts as all its exports. */
function membersOf(module: ts.Symbol, prefix: string): readonly Exported[] {
  return checker.getExportsOfModule(module).flatMap((symbol) => {
    const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    const target = isAlias ? checker.getAliasedSymbol(symbol) : symbol;
    const name = `${prefix}${symbol.name}`;
    if ((target.flags & ts.SymbolFlags.ValueModule) !== 0) return membersOf(target, `${name}.`);
    return [{ name, isDocumented: target.getDocumentationComment(checker).length > 0 }];
  });
}

it('shows an embedder few names at the front door', () => {
  const all = exportsOf(CORE);
  expect(all.length).toBeGreaterThan(20);
  expect(all.length).toBeLessThanOrEqual(EXPORTS_MAX);
});

it.each(doors)('says a sentence of everything that %s exports', (door) => {
  expect(
    exportsOf(door)
      .filter((one) => !one.isDocumented)
      .map(({ name }) => name),
  ).toEqual([]);
});

it('finds the doors, and a name without a sentence', () => {
  expect(doors).toContain(CORE);
  expect(doors.length).toBeGreaterThan(15);
  expect(exportsOf('packages/core/src/domain/index.ts').map(({ name }) => name)).toContain('decimal.equals');
});
