import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readCliConfig } from '../src/config/cli-config.js';
import { readConfig } from '../src/config/config.js';

const folder = mkdtempSync(join(tmpdir(), 'gateramp-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

const KEY = 'q0X3ZkT8m1yB7vNf5cJr9LwHs2DgPa6UoEiKx4MtQzY=';
const OLD = ['HEH8wcqdV4kNgAbzSSkjpSs0+EkGKxzG1TDqUmPTnKE=', 'wCrYh0kY4mKGUzPNrzJq8q9m8h5pYtBv0N5fV3ZxkZc='];
const DATABASE = 'postgres://gate:hunter2@db/gate';

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function problemsOf(environment: Readonly<Record<string, string>>): string {
  try {
    readConfig(environment, { isTerminal: false });
  } catch (error) {
    return String(error);
  }
  return '';
}

describe('secrets by file', () => {
  const settings = {
    GATE_MASTER_KEY_FILE: file('key', `${KEY}\n`),
    GATE_MASTER_KEYS_OLD_FILE: file('old', `${OLD.join('\n')}\n`),
    DATABASE_URL_FILE: file('database', `${DATABASE}\n`),
    REDIS_URL_FILE: file('redis', 'redis://:hunter2@cache:6379'),
    GATE_OIDC_CLIENT_SECRET_FILE: file('oidc', 'hunter3\n'),
    GATE_OIDC_ISSUER: 'https://id.example.com',
    GATE_OIDC_CLIENT_ID: 'console',
  };

  it('are what the variables would be', () => {
    const inline = readConfig(
      {
        GATE_MASTER_KEY: KEY,
        GATE_MASTER_KEYS_OLD: OLD.join(','),
        DATABASE_URL: DATABASE,
        REDIS_URL: 'redis://:hunter2@cache:6379',
        GATE_OIDC_CLIENT_SECRET: 'hunter3',
        GATE_OIDC_ISSUER: 'https://id.example.com',
        GATE_OIDC_CLIENT_ID: 'console',
      },
      { isTerminal: false },
    );
    expect(readConfig(settings, { isTerminal: false })).toEqual(inline);
    expect(inline).toMatchObject({
      database: { url: DATABASE },
      redisUrl: 'redis://:hunter2@cache:6379',
      warnings: [],
    });
    expect(inline.oldMasterKeys).toHaveLength(2);
  });

  it('are read by the gate command as well', () => {
    expect(readCliConfig(settings)).toMatchObject({ place: { kind: 'postgres', database: { url: DATABASE } } });
  });

  it('stop the start when they cannot be read, are empty, or are set twice, and are never quoted', () => {
    const problems = problemsOf({
      ...settings,
      GATE_MASTER_KEY: KEY,
      DATABASE_URL_FILE: join(folder, 'missing'),
      REDIS_URL_FILE: file('empty', ' \n'),
    });
    expect(problems).toContain('GATE_MASTER_KEY_FILE: is set together with GATE_MASTER_KEY; set only one of them.');
    expect(problems).toContain(`DATABASE_URL_FILE: cannot read "${join(folder, 'missing')}" (ENOENT).`);
    expect(problems).toContain(`REDIS_URL_FILE: "${join(folder, 'empty')}" is empty.`);
    const wrong = problemsOf({ DATABASE_URL_FILE: file('wrong', 'mysql://u:hunter2@h/d'), GATE_MASTER_KEY: 'hunter2' });
    expect(wrong).toContain('DATABASE_URL');
    expect(wrong).not.toContain('hunter2');
  });
});
