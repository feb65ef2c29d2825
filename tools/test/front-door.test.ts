import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

import { root } from '../lib/workspaces.mjs';

/** `.` is what an embedder types. What only adapters and tests name belongs to `./domain`, `./ports`, `./http` or `./runtime`. */
const EXPORTS_MAX = 30;

interface Exported {
  readonly name: string;
  readonly isDocumented: boolean;
}

/** What a module exports, and whether its editor would say anything about it. */
function exportsOf(path: string): readonly Exported[] {
  const file = join(root, path);
  const program = ts.createProgram([file], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    noEmit: true,
    skipLibCheck: true,
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${path} is no module.`);
  return checker.getExportsOfModule(module).map((symbol) => {
    const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    const target = isAlias ? checker.getAliasedSymbol(symbol) : symbol;
    return { name: symbol.name, isDocumented: target.getDocumentationComment(checker).length > 0 };
  });
}

const undocumented = (all: readonly Exported[]) => all.filter((one) => !one.isDocumented).map(({ name }) => name);

it('shows an embedder few names at the front door, each with a sentence', () => {
  const all = exportsOf('packages/core/src/index.ts');
  expect(undocumented(all)).toEqual([]);
  expect(all.length).toBeGreaterThan(20);
  expect(all.length).toBeLessThanOrEqual(EXPORTS_MAX);
});
