import bundle from 'playwright-core/lib/utilsBundle';

/** Differences in font rendering between machines change the average of a block by less; a changed line, surface or colour by more. */
const BLOCK = 8;
const BLOCK_MAX_DIFFERENCE = 20;

/**
 * The share of 8 × 8 pixel blocks whose average colour differs: 0 if two PNGs look alike, 1 if their sizes differ. Averages hide
 * differences in font smoothing.
 */
export function differenceOf(one: Uint8Array, other: Uint8Array): number {
  const [before, after] = [blocksOf(one), blocksOf(other)];
  if (before.columns !== after.columns || before.averages.length !== after.averages.length) return 1;
  const differing = before.averages.filter((average, at) => {
    const wanted = after.averages[at] ?? [];
    return average.some((channel, index) => Math.abs(channel - (wanted[index] ?? 0)) > BLOCK_MAX_DIFFERENCE);
  });
  return differing.length / before.averages.length;
}

interface Blocks {
  readonly columns: number;
  readonly averages: readonly (readonly number[])[];
}

function blocksOf(file: Uint8Array): Blocks {
  const { width, height, data } = bundle.PNG.sync.read(Buffer.from(file));
  const columns = Math.ceil(width / BLOCK);
  const sums = Array.from({ length: columns * Math.ceil(height / BLOCK) }, () => [0, 0, 0, 0]);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    const sum = sums[Math.floor(pixel / width / BLOCK) * columns + Math.floor((pixel % width) / BLOCK)] ?? [];
    for (const channel of [0, 1, 2]) sum[channel] = (sum[channel] ?? 0) + (data[pixel * 4 + channel] ?? 0);
    sum[3] = (sum[3] ?? 0) + 1;
  }
  return {
    columns,
    averages: sums.map(([red = 0, green = 0, blue = 0, count = 1]) => [red, green, blue].map((sum) => sum / count)),
  };
}
