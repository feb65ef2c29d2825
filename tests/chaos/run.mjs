import { PlainError, reportAndExit } from '../../tools/lib/steps.mjs';
import { setup } from '../../tools/setup.mjs';
import { postgresKind } from '../services/postgres-binaries.ts';
import { chaos } from './chaos.mjs';
import { FULL, scaled, SHORT } from './forms.mjs';
import { hostile } from './hostile/hostile.mjs';
import { table } from './lib/table.mjs';

/** `npm run test:chaos [-- --short | --scale 0.1] [--seed 7] [--hostile] [--postgres stock]`: exits 1 when any law was missed. `--hostile` runs that part alone. */
async function run(words) {
  await setup();
  const postgres = kindAfter(words, '--postgres');
  const form = { ...formOf(words), seed: numberAfter(words, '--seed') ?? FULL.seed, postgres };
  const began = performance.now();
  const isHostileAlone = words.includes('--hostile');
  say(
    `${form.name} form, seed ${form.seed}, Postgres ${postgres}: ${isHostileAlone ? '' : `${form.creates} creates, ${form.purchases} purchases, receivers failing ${form.receivers.failing * 100} %, `}${form.hostile.receivers} hostile receivers`,
  );
  const parts = isHostileAlone ? [] : [await chaos(form, { say })];
  parts.push(await hostile({ ...form.hostile, postgres }, { say }));
  const rows = parts.flatMap((part) => part.rows);
  const counts = parts.flatMap((part) => Object.entries(part.counts));
  say('');
  say(
    table(
      ['law', 'expected', 'found', ''],
      rows.map(({ law, expected, found, isKept }) => [law, expected, found, isKept ? 'ok' : 'MISS']),
    ),
  );
  say('');
  say(table(['counted', ''], counts));
  for (const { law, samples } of rows.filter((row) => !row.isKept && row.samples.length > 0))
    say(`\n${law}, for example:\n${samples.map((one) => `  ${JSON.stringify(one)}`).join('\n')}`);
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  const logs = parts.filter(({ passed }) => !passed).map(({ folder }) => folder);
  say(
    `\n${logs.length === 0 ? 'All laws kept' : `Laws were missed; the logs are in ${logs.join(' and ')}`} (${minutes} min, seed ${form.seed})`,
  );
  process.exitCode = logs.length === 0 ? 0 : 1;
}

const say = (line) => process.stdout.write(`${line}\n`);

function formOf(words) {
  if (words.includes('--short')) return SHORT;
  const part = numberAfter(words, '--scale');
  return part === null ? FULL : scaled(part);
}

function numberAfter(words, name) {
  const at = words.indexOf(name);
  if (at < 0) return null;
  const number = Number(words[at + 1]);
  if (!(number > 0)) throw new PlainError(`${name} needs a number above 0, not "${words[at + 1] ?? ''}".`);
  return number;
}

function kindAfter(words, name) {
  const at = words.indexOf(name);
  if (at < 0) return postgresKind();
  const kind = words[at + 1];
  if (kind === 'embedded' || kind === 'stock') return kind;
  throw new PlainError(`${name} is embedded or stock, not "${kind ?? ''}".`);
}

run(process.argv.slice(2)).catch(reportAndExit);
