import { isRecord } from '@gateramp/core/domain';

type Members = Readonly<Record<string, unknown>>;

/** Human-readable text, and data checked elsewhere, may change. */
const FREE = new Set(['description', 'summary', 'examples', 'tags', 'info', 'servers', 'meaning']);

/** A document without the parts that may change. `place` is the member in which `document` was found. */
export function promisesOf(document: unknown, place = ''): unknown {
  if (Array.isArray(document)) return document.map((item) => promisesOf(item));
  if (!isRecord(document)) return document;
  const kept = Object.entries(document).filter(([name]) => place === 'properties' || !FREE.has(name));
  return Object.fromEntries(kept.map(([name, member]) => [name, promisesOf(member, name)]));
}

/**
 * Promises of the released document that the current one breaks. Additions are allowed, except new requirements: paths, members, codes and
 * events must remain, response members that were always present must stay so, and bodies and queries must not require more.
 */
export function brokenPromises(released: unknown, now: unknown, place = ''): readonly string[] {
  if (Array.isArray(released)) return Array.isArray(now) ? brokenInList(released, now, place) : [`${place} is no list`];
  if (!isRecord(released)) return released === now ? [] : [`${place} was ${String(released)} and is ${String(now)}`];
  if (!isRecord(now)) return [`${place} is gone`];
  const kept = Object.keys(released).filter((name) => name !== 'required');
  return [
    ...kept.flatMap((name) =>
      name in now ? brokenPromises(released[name], now[name], `${place}/${name}`) : [`${place}/${name} is gone`],
    ),
    ...brokenDemands(released, now, place),
  ];
}

/**
 * In a closed object or a parameter `required` is a requirement, which must not grow; in a response it is a promise, which must not shrink.
 */
function brokenDemands(released: Members, now: Members, place: string): readonly string[] {
  if ('in' in released)
    return now['required'] === true && released['required'] !== true ? [`${place} is required now`] : [];
  const [then, today] = [textsOf(released['required']), textsOf(now['required'])];
  if (released['additionalProperties'] === false)
    return missing(today, then).map((name) => `${place} asks for ${name} now`);
  return missing(then, today).map((name) => `${place} may lack ${name} now`);
}

function brokenInList(released: readonly unknown[], now: readonly unknown[], place: string): readonly string[] {
  const gone = released.flatMap((item, index) => {
    const others = now.map((one) => brokenPromises(item, one, `${place}/${nameOf(item) ?? index}`));
    const named = now.findIndex((one) => nameOf(item) !== null && nameOf(one) === nameOf(item));
    if (named >= 0) return others[named] ?? [];
    return others.some((faults) => faults.length === 0) ? [] : [`${place} no longer holds ${JSON.stringify(item)}`];
  });
  const known = new Set(released.map(nameOf));
  const demands = now.filter((one) => isRecord(one) && one['required'] === true && !known.has(nameOf(one)));
  return [...gone, ...demands.map((one) => `${place} asks for ${nameOf(one) ?? '?'} now`)];
}

/** Parameters are identified by name and location, whatever their order. */
function nameOf(item: unknown): string | null {
  return isRecord(item) && 'in' in item ? `${String(item['in'])} ${String(item['name'])}` : null;
}

function missing(of: readonly string[], from: readonly string[]): readonly string[] {
  return of.filter((one) => !from.includes(one));
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
