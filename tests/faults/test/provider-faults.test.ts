import { AssertionError } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { providerLaws } from '@gateramp/conformance';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import type { cardProvider } from '../../embedding/card-provider.js';
import { cardSubject } from '../../embedding/card-subject.js';
import { plantedIn, type Fault } from '../planted.js';
import { providerFaults } from '../provider-faults.js';

const FAULTS_MIN = 20;
const CAUGHT_MIN = 0.95;
const folder = join(import.meta.dirname, '../../embedding');

describe('the laws of a provider catch planted faults', () => {
  const missed: string[] = [];

  it.each(providerFaults)('$title', async (fault) => {
    const subject = cardSubject(await planted(fault));
    const broken: string[] = [];
    for (const { topic, title, run } of providerLaws)
      await run(subject).catch((error: unknown) => broken.push(`${topic}: ${title} (${nameOf(error)})`));
    if (broken.length === 0) missed.push(fault.title);
  });

  it(`and miss at most ${Math.round((1 - CAUGHT_MIN) * 100)} %`, () => {
    expect(providerFaults.length).toBeGreaterThanOrEqual(FAULTS_MIN);
    expect(1 - missed.length / providerFaults.length, `missed: ${missed.join(', ')}`).toBeGreaterThanOrEqual(
      CAUGHT_MIN,
    );
  });
});

const nameOf = (error: unknown): string => (error instanceof AssertionError ? error.message : `threw ${String(error)}`);

/** The card provider with a fault, bundled with everything that it imports. */
async function planted(fault: Fault): Promise<typeof cardProvider> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'card-provider.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    conditions: ['@gateramp/source'],
    plugins: [
      {
        name: 'plant',
        setup: ({ onLoad }) =>
          onLoad({ filter: /\/card-(provider|market)\.ts$/ }, ({ path }) => {
            const text = readFileSync(path, 'utf8');
            return { contents: basename(path) === fault.file ? plantedIn(text, fault) : text, loader: 'ts' };
          }),
      },
    ],
  });
  const [bundle] = outputFiles;
  const module: { readonly cardProvider: typeof cardProvider } = await import(
    `data:text/javascript;base64,${Buffer.from(bundle?.text ?? '').toString('base64')}`
  );
  return module.cardProvider;
}
