import { readFileSync } from 'node:fs';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Secrets that can be read from a file: `GATE_MASTER_KEY_FILE` names the file of `GATE_MASTER_KEY`. */
export const SECRETS_BY_FILE = [
  'GATE_MASTER_KEY',
  'GATE_MASTER_KEYS_OLD',
  'DATABASE_URL',
  'REDIS_URL',
  'GATE_WEBHOOK_PROXY',
  'GATE_OIDC_CLIENT_SECRET',
] as const;

interface SetVariables {
  /** The variables that are set, with secrets in place of the variables that name their files. */
  readonly set: Environment;
  readonly problems: readonly string[];
}

/**
 * The variables that are set. An empty one counts as unset, since compose files and shells omit variables in this way. No problem quotes
 * the content of a file.
 */
export function setVariables(environment: Environment): SetVariables {
  const set: Record<string, string | undefined> = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
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
    const read = readSecret(path);
    if (read.secret === null) problems.push(`${name}: ${read.problem}`);
    else set[secret] = read.secret;
  }
  return { set, problems };
}

type SecretRead = { readonly secret: string } | { readonly secret: null; readonly problem: string };

/** Several keys may be given, one per line; editors end a file with a line break. */
function readSecret(path: string): SecretRead {
  const { text, problem } = readText(path);
  if (text === null) return { secret: null, problem };
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const secret = lines.filter((line) => line !== '').join(',');
  return secret === '' ? { secret: null, problem: `"${path}" is empty.` } : { secret };
}

/** Reads the file that a variable names; null if it is not set. Every problem names the variable. */
export function readNamedFile<Read extends { readonly problems: readonly string[] }>(
  set: Environment,
  name: 'GATE_SEED_FILE' | 'GATE_LEGS_FILE',
  read: (text: string) => Read,
): { readonly read: Read | null; readonly problems: readonly string[] } {
  const path = set[name];
  if (path === undefined) return { read: null, problems: [] };
  const { text, problem } = readText(path);
  if (text === null) return { read: null, problems: [`${name}: ${problem}`] };
  const found = read(text);
  return { read: found, problems: found.problems.map((one) => `${name}: ${one}`) };
}

function readText(
  path: string,
): { readonly text: string; readonly problem: null } | { readonly text: null; readonly problem: string } {
  try {
    return { text: readFileSync(path, 'utf8'), problem: null };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return { text: null, problem: `cannot read "${path}" (${code}).` };
  }
}
