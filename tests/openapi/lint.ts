import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { root } from '../../tools/lib/workspaces.mjs';

export interface Problem {
  readonly ruleId: string;
  readonly severity: 'error' | 'warn';
  /** The place in the document, as a JSON pointer. */
  readonly pointer: string;
}

/** What Redocly's linter says of an OpenAPI document by its recommended rules; it makes no calls and reads no configuration. */
export async function lint(file: string): Promise<readonly Problem[]> {
  const cli = join(
    dirname(createRequire(join(root, 'package.json')).resolve('@redocly/cli/package.json')),
    'bin/cli.js',
  );
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const stdout = await new Promise<string>((resolve, reject) => {
    // It ends with 1 when it finds errors, which are on stdout too.
    execFile(
      process.execPath,
      [cli, 'lint', file, '--format', 'json'],
      { env, cwd: root, maxBuffer: 1 << 26 },
      (error, out, err) =>
        out.startsWith('{') ? resolve(out) : reject(new Error(`The linter did not answer: ${err}`, { cause: error })),
    );
  });
  const { problems } = JSON.parse(stdout) as { problems: (Problem & { location: { pointer: string }[] })[] };
  return problems.map(({ ruleId, severity, location }) => ({ ruleId, severity, pointer: location[0]?.pointer ?? '' }));
}
