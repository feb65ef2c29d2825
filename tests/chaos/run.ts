import { PlainError, reportAndExit } from '../../tools/lib/steps.mjs';
import { setup } from '../../tools/setup.mjs';
import { postgresKind, type PostgresKind } from '../services/postgres-binaries.js';
import { chaos, type ChaosResult } from './chaos.js';
import { fileChaos } from './file/file.js';
import { FULL, scaled, SHORT, type Form } from './forms.js';
import { hostile } from './hostile/hostile.js';
import { table } from './lib/table.js';

/**
 * `npm run test:chaos [-- --short | --scale 0.1] [--seed 7] [--hostile | --file] [--postgres stock]`: exits with 1 if a
 * law is broken. `--hostile` and `--file` run that part alone.
 */
async function run(words: readonly string[]): Promise<void> {
  await setup();
  const postgres = kindAfter(words, '--postgres');
  const form = { ...formOf(words), seed: numberAfter(words, '--seed') ?? FULL.seed, postgres };
  const began = performance.now();
  const alone = PARTS.find((part) => words.includes(`--${part}`));
  const isWanted = (part: (typeof PARTS)[number]): boolean => alone === undefined || alone === part;
  say(`${form.name} form, seed ${form.seed}, Postgres ${postgres}`);
  const parts: ChaosResult[] = [];
  const ended = (part: ChaosResult): void => {
    parts.push(part);
    report(part);
  };
  if (alone === undefined) {
    say(`${form.creates} creates, ${form.purchases} purchases, receivers failing ${form.receivers.failing * 100} %`);
    ended(await chaos(form, { say }));
  }
  if (isWanted('file')) {
    say(`${form.file.creates} creates, ${form.file.purchases} purchases in one process on one file`);
    ended(await fileChaos(form, { say }));
  }
  if (isWanted('hostile')) {
    say(`${form.hostile.receivers} hostile receivers`);
    ended(await hostile({ ...form.hostile, postgres }, { say }));
  }
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  const logs = parts.flatMap(({ folder }) => folder ?? []);
  say(
    `${logs.length === 0 ? 'All laws kept' : `Laws were missed; the logs are in ${logs.join(' and ')}`} (${minutes} min, seed ${form.seed})`,
  );
  process.exitCode = logs.length === 0 ? 0 : 1;
}

/** Printed after each part, because the next one may take a quarter of an hour. */
function report({ rows, counts }: ChaosResult): void {
  const laws = rows.map(({ law, expected, found, isKept }) => [law, expected, found, isKept ? 'ok' : 'MISS']);
  say(`\n${table(['law', 'expected', 'found', ''], laws)}\n\n${table(['counted', ''], Object.entries(counts))}\n`);
  for (const { law, samples } of rows.filter((row) => !row.isKept && row.samples.length > 0))
    say(`${law}, for example:\n${samples.map((one) => `  ${JSON.stringify(one)}`).join('\n')}\n`);
}

/** Each can be run alone. */
const PARTS = ['file', 'hostile'] as const;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function formOf(words: readonly string[]): Form {
  if (words.includes('--short')) return SHORT;
  const part = numberAfter(words, '--scale');
  return part === null ? FULL : scaled(part);
}

function numberAfter(words: readonly string[], name: string): number | null {
  const at = words.indexOf(name);
  if (at < 0) return null;
  const number = Number(words[at + 1]);
  if (!(number > 0)) throw new PlainError(`${name} needs a number above 0, not "${words[at + 1] ?? ''}".`);
  return number;
}

function kindAfter(words: readonly string[], name: string): PostgresKind {
  const at = words.indexOf(name);
  if (at < 0) return postgresKind();
  const kind = words[at + 1];
  if (kind === 'embedded' || kind === 'stock') return kind;
  throw new PlainError(`${name} is embedded or stock, not "${kind ?? ''}".`);
}

await run(process.argv.slice(2)).catch(reportAndExit);
