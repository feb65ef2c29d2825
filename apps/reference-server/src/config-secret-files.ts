import { readFileSync } from 'node:fs';

/** Secrets that can be read from a file: `GATE_MASTER_KEY_FILE` names the file of `GATE_MASTER_KEY`. */
export const SECRETS_BY_FILE = [
  'GATE_MASTER_KEY',
  'GATE_MASTER_KEYS_OLD',
  'DATABASE_URL',
  'REDIS_URL',
  'GATE_WEBHOOK_PROXY',
  'GATE_OIDC_CLIENT_SECRET',
] as const;

type SetVariables = Readonly<Record<string, string | undefined>>;

interface WithSecrets {
  /** The variables, without those that name files. */
  readonly set: SetVariables;
  readonly problems: readonly string[];
}

/** Replaces variables that name files by the contents of the files. No problem quotes a file's content. */
export function withSecretFiles(given: SetVariables): WithSecrets {
  const set: Record<string, string | undefined> = { ...given };
  const problems: string[] = [];
  for (const secret of SECRETS_BY_FILE) {
    const name = `${secret}_FILE`;
    const path = set[name];
    if (path === undefined) continue;
    delete set[name];
    if (set[secret] !== undefined) {
      problems.push(`${name}: is set together with ${secret}; set only one of them.`);
      continue;
    }
    const text = readSecret(path);
    if (text.problem !== null) problems.push(`${name}: ${text.problem}`);
    else set[secret] = text.secret;
  }
  return { set, problems };
}

type Read =
  | { readonly problem: string; readonly secret?: undefined }
  | { readonly problem: null; readonly secret: string };

/** Several keys may be given, one per line; editors end a file with a line break. */
function readSecret(path: string): Read {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return { problem: `cannot read "${path}" (${code}).` };
  }
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const secret = lines.filter((line) => line !== '').join(',');
  return secret === '' ? { problem: `"${path}" is empty.` } : { problem: null, secret };
}
