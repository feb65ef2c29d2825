import { PlainError, reportAndExit } from '../lib/steps.mjs';
import { setup } from '../setup.mjs';
import { chaos } from './chaos.mjs';
import { FULL, scaled, SHORT } from './forms.mjs';
import { table } from './lib/table.mjs';

/** `npm run test:chaos [-- --short | --scale 0.1] [--seed 7]`: exits 1 when any law was missed. */
async function run(words) {
  await setup();
  const form = { ...formOf(words), seed: numberAfter(words, '--seed') ?? FULL.seed };
  const began = performance.now();
  const say = (line) => process.stdout.write(`${line}\n`);
  say(`${form.name} form, seed ${form.seed}: ${form.creates} creates, ${form.purchases} purchases, receivers failing ${form.receivers.failing * 100} %`);
  const { rows, counts, passed, folder } = await chaos(form, { say });
  say('');
  say(table(['law', 'expected', 'found', ''], rows.map(({ law, expected, found, isKept }) => [law, expected, found, isKept ? 'ok' : 'MISS'])));
  say('');
  say(table(['counted', ''], Object.entries(counts)));
  for (const { law, samples } of rows.filter((row) => !row.isKept && row.samples.length > 0)) say(`\n${law}, for example:\n${samples.map((one) => `  ${JSON.stringify(one)}`).join('\n')}`);
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  say(`\n${passed ? 'All laws kept' : `Laws were missed; the logs are in ${folder}`} (${minutes} min, seed ${form.seed})`);
  process.exitCode = passed ? 0 : 1;
}

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

run(process.argv.slice(2)).catch(reportAndExit);
