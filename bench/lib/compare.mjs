/**
 * Measures two sides in turn, several times, and compares medians: a drift of the machine meets both.
 *
 * @param {{ title: string, rounds: number, baseline: () => Promise<{ perSecond: number, p99: number }>,
 *   ours: () => Promise<{ perSecond: number, p99: number }>, atLeast: number, aim: number }} comparison
 */
export async function compare({ title, rounds, baseline, ours, atLeast, aim }) {
  const theirs = [];
  const own = [];
  for (let round = 0; round < rounds; round += 1) {
    theirs.push(await baseline());
    own.push(await ours());
  }
  const ratio = median(own.map((run) => run.perSecond)) / median(theirs.map((run) => run.perSecond));
  const row = {
    title,
    baseline: median(theirs.map((run) => run.perSecond)),
    ours: median(own.map((run) => run.perSecond)),
    p99: median(own.map((run) => run.p99)),
    ratio,
    atLeast,
    aim,
    passed: ratio >= atLeast,
  };
  process.stdout.write(`${format(row)}\n`);
  return row;
}

function format({ title, baseline, ours, p99, ratio, atLeast, aim, passed }) {
  const figures = `${Math.round(ours)}/s against ${Math.round(baseline)}/s, p99 ${p99.toFixed(1)} ms`;
  return `${passed ? 'ok  ' : 'MISS'} ${title}: ${ratio.toFixed(2)} (at least ${atLeast}, aim ${aim}) · ${figures}`;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
