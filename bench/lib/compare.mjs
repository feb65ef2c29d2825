/**
 * Measures two sides in turn, several times, so that a drift of the machine affects both.
 *
 * @param {{ title: string, rounds: number, baseline: () => Promise<Run>, ours: () => Promise<Run>, atLeast: number,
 *   aim: number }} comparison
 * @typedef {{ perSecond: number, p99: number, cpu?: { server: number, database: number } }} Run `cpu` in microseconds per request
 */
export async function compare({ title, rounds, baseline, ours, atLeast, aim }) {
  const theirs = [];
  const own = [];
  for (let round = 0; round < rounds; round += 1) {
    theirs.push(await baseline());
    own.push(await ours());
  }
  return verdict({ title, theirs, own, atLeast, aim });
}

/** Compares adjacent runs. The median of their ratios counts. */
export function verdict({ title, theirs, own, atLeast, aim }) {
  const ratio = median(own.map(({ perSecond }, nth) => perSecond / theirs[nth].perSecond));
  const row = {
    title,
    baseline: median(theirs.map((run) => run.perSecond)),
    ours: median(own.map((run) => run.perSecond)),
    p99: median(own.map((run) => run.p99)),
    cpu: { ours: cpuOf(own), baseline: cpuOf(theirs) },
    ratio,
    atLeast,
    aim,
    passed: ratio >= atLeast,
  };
  process.stdout.write(`${format(row)}\n`);
  return row;
}

/** The CPU time of a request in the server and in Postgres, independent of other load on the machine. */
function cpuOf(runs) {
  const of = (what) => median(runs.map(({ cpu }) => cpu?.[what] ?? 0));
  return { server: of('server'), database: of('database') };
}

function format({ title, baseline, ours, p99, cpu, ratio, atLeast, aim, passed }) {
  const time = ({ server, database }) => `${server} + ${database}`;
  const spent =
    cpu.ours.server === 0 ? '' : ` · CPU µs, server + Postgres: ${time(cpu.ours)} against ${time(cpu.baseline)}`;
  const figures = `${Math.round(ours)}/s against ${Math.round(baseline)}/s, p99 ${p99.toFixed(1)} ms${spent}`;
  return `${passed ? 'ok  ' : 'MISS'} ${title}: ${ratio.toFixed(2)} (at least ${atLeast}, aim ${aim}) · ${figures}`;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
