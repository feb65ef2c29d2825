import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { providerLaws } from '@gateramp/conformance';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import type { cardProvider } from '../../embedding/card-provider.js';
import { cardSubject } from '../../embedding/card-subject.js';
import { plantedIn } from '../planted.js';
import { providerFaults, type ProviderFault } from '../provider-faults.js';

const FAULTS_MIN = 60;
const folder = join(import.meta.dirname, '../../embedding');

describe('the laws of a provider', () => {
  it.each(providerFaults)('catch $title, by: $law', async (fault) => {
    const subject = cardSubject(await planted(fault));
    const laws = providerLaws.filter(({ title }) => title === fault.law);
    const results = await Promise.allSettled(laws.map((law) => law.run(subject)));
    expect(results.map(({ status }) => status)).toContain('rejected');
  });

  it('hold for the provider without a fault, bundled the same way', async () => {
    const subject = cardSubject(await planted(null));
    for (const law of providerLaws) await law.run(subject);
  });

  it(`are proved by at least ${FAULTS_MIN} faults, with distinct titles`, () => {
    expect(new Set(providerFaults.map(({ title }) => title)).size).toBe(providerFaults.length);
    expect(providerFaults.length).toBeGreaterThanOrEqual(FAULTS_MIN);
  });

  it('have titles of their own within a topic', () => {
    expect(new Set(providerLaws.map(({ topic, title }) => `${topic}: ${title}`)).size).toBe(providerLaws.length);
  });
});

/** The card provider with the fault, bundled with everything that it imports. */
async function planted(fault: ProviderFault | null): Promise<typeof cardProvider> {
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
            return { contents: basename(path) === fault?.file ? plantedIn(text, fault) : text, loader: 'ts' };
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
