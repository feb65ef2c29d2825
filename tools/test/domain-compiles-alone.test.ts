import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const core = join(import.meta.dirname, '../../packages/core');

/** The compiler's errors for one file of the domain, with the settings that `npm run typecheck` uses for it. */
function complaintsAbout(code: string): string[] {
  const config = ts.getParsedCommandLineOfConfigFile(join(core, 'tsconfig.domain.json'), undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
      throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'));
    },
  });
  if (config === undefined) throw new Error('packages/core/tsconfig.domain.json is missing');
  const path = join(core, 'src/domain/planted.ts');
  const options: ts.CompilerOptions = { ...config.options, incremental: false };
  delete options.tsBuildInfoFile;
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === path || fileExists(name);
  host.getSourceFile = (name, ...rest) =>
    name === path ? ts.createSourceFile(name, code, ts.ScriptTarget.ES2023) : getSourceFile(name, ...rest);
  const program = ts.createProgram([path], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('the domain ring', () => {
  it('compiles where the language is all there is', () => {
    expect(
      complaintsAbout(`export const amount: bigint = 10n ** 2n; export const at = new Date(0).toISOString();`),
    ).toEqual([]);
  });

  it.each(['process', 'console', 'Buffer', 'URL', 'TextEncoder', 'setTimeout', 'fetch', 'crypto', 'document'])(
    'does not compile with `%s` in it',
    (name) => {
      expect(complaintsAbout(`export const leak = ${name};`).join()).toContain(`Cannot find name '${name}'`);
    },
  );

  it('does not compile with a Node built-in in it', () => {
    expect(complaintsAbout(`import { readFileSync } from 'node:fs'; export const leak = readFileSync;`)).not.toEqual(
      [],
    );
  });
});
