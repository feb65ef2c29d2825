import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as conformance from '@gateramp/conformance';
import { isRecord } from '@gateramp/core/domain';
import { brokenPromises, promisesOf } from './lib/broken-promises.js';
import { comparePortTypes, portTypes } from './lib/port-types.mjs';
import { isMain } from './lib/steps.mjs';
import { root } from './lib/workspaces.mjs';

/**
 * What a release promises: the types of all ports, the titles of all laws, and the OpenAPI document. Prints as JSON what differs from the
 * records of the last release in `spec/released`; `npm run release` reads it. With `--record`, as `npm run release:ports`, it writes the
 * records of ports and laws; `npm run release:openapi` writes that of the document.
 */
export interface Promises {
  readonly ports: string;
  readonly laws: string;
  readonly api: unknown;
}

/** What differs, one line each. `broken` lists what an adapter or a client of the last release may fail with. */
export interface Differences {
  readonly changed: readonly string[];
  readonly broken: readonly string[];
}

const PORTS = 'spec/released/ports.txt';
const LAWS = 'spec/released/laws.txt';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The promises of the sources. */
export function promisesNow(): Promises {
  return { ports: portTypes(), laws: lawTitles(), api: promisesOf(JSON.parse(read('spec/openapi.json'))) };
}

/** The promises of the last release. */
export function releasedPromises(): Promises {
  return { ports: read(PORTS), laws: read(LAWS), api: JSON.parse(read('spec/released/openapi.json')) };
}

/** One law per line, by the export that contains it. */
function lawTitles(): string {
  return Object.entries(conformance)
    .flatMap(([name, laws]) =>
      Array.isArray(laws) ? laws.map(({ topic, title }) => `${name} | ${topic} | ${title}\n`) : [],
    )
    .join('');
}

export function differencesBetween(released: Promises, now: Promises): Differences {
  const ports = comparePortTypes(released.ports, now.ports);
  const [before, after] = [released, now].map(({ laws }) => laws.split('\n').filter((line) => line !== ''));
  const removed = (before ?? []).filter((law) => !after?.includes(law)).map((law) => `law removed: ${law}`);
  const added = (after ?? []).filter((law) => !before?.includes(law)).map((law) => `law added: ${law}`);
  return {
    changed: [...ports.changed, ...removed, ...added, ...changedIn(released.api, now.api)],
    broken: [...ports.broken, ...removed, ...brokenPromises(released.api, now.api)],
  };
}

/** The innermost of the first three levels at which two documents differ, such as `/paths//v1/gate_sessions`. */
function changedIn(released: unknown, now: unknown, place = '', depth = 0): readonly string[] {
  if (isDeepStrictEqual(released, now)) return [];
  if (depth === 3 || !isRecord(released) || !isRecord(now)) return [`OpenAPI document: ${place} was changed`];
  const names = new Set([...Object.keys(released), ...Object.keys(now)]);
  return [...names].flatMap((name) => changedIn(released[name], now[name], `${place}/${name}`, depth + 1));
}

if (isMain(import.meta.url)) {
  const now = promisesNow();
  if (process.argv.includes('--record')) {
    writeFileSync(join(root, PORTS), now.ports);
    writeFileSync(join(root, LAWS), now.laws);
  } else process.stdout.write(JSON.stringify(differencesBetween(releasedPromises(), now)));
}
