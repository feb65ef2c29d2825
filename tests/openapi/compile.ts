import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { root } from '../../tools/lib/workspaces.mjs';

const TYPES = join(root, 'tests/openapi/generated-types.ts');
const CLIENT = join(root, 'tests/openapi/generated-client.ts');

/** The types that a public generator makes of an OpenAPI document. */
export async function generateTypes(document: string): Promise<string> {
  return astToString(await openapiTS(document, { silent: true }));
}

/**
 * What the compiler says of `client`, which finds the generated types in `./generated-types.js`. Both live in memory only; what they import
 * is checked elsewhere.
 */
export function complaints(types: string, client: string): readonly string[] {
  const texts = new Map([
    [TYPES, types],
    [CLIENT, client],
  ]);
  const config = ts.readConfigFile(join(root, 'tsconfig.base.json'), (file) => ts.sys.readFile(file)).config as {
    compilerOptions: Readonly<Record<string, unknown>>;
  };
  const { options } = ts.convertCompilerOptionsFromJson({ ...config.compilerOptions, types: ['node'] }, root);
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (file) => texts.has(file) || disk.fileExists(file),
    readFile: (file) => texts.get(file) ?? disk.readFile(file),
    getSourceFile: (file, target, ...rest) => {
      const text = texts.get(file);
      return text === undefined ? disk.getSourceFile(file, target, ...rest) : ts.createSourceFile(file, text, target);
    },
  };
  const program = ts.createProgram([...texts.keys()], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .filter(({ file }) => file === undefined || texts.has(file.fileName))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
