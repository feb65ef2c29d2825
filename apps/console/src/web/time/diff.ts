import type { Json } from '../wire/types.js';

/** One field of an object at a step, with its value before the step if the step changed it. */
export interface FieldRow {
  /** Member names and indexes joined by dots, such as `source.amount`. */
  readonly path: string;
  /** Undefined if the field is absent. */
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  readonly change: 'added' | 'removed' | 'changed' | null;
}

/**
 * The fields of an object, one row per leaf, in the order of the later object; removed fields follow. Without an earlier object
 * (undefined) nothing counts as a change; an earlier null means that the object did not exist, so all of it is added.
 */
export function diffRows(before: Json | undefined, after: Json): readonly FieldRow[] {
  const [old, now] = [leavesOf(before ?? null), leavesOf(after)];
  const rows = [...now].map(([path, value]): FieldRow => {
    const was = old.get(path);
    const change = before === undefined || same(was, value) ? null : was === undefined ? 'added' : 'changed';
    return { path, before: was, after: value, change };
  });
  const removed = before === undefined ? [] : [...old].filter(([path]) => !now.has(path));
  return [
    ...rows,
    ...removed.map(([path, was]): FieldRow => ({ path, before: was, after: undefined, change: 'removed' })),
  ];
}

/** The scalar values of a tree, and its empty objects and arrays, by path. */
function leavesOf(value: Json): ReadonlyMap<string, Json> {
  const leaves = new Map<string, Json>();
  const walk = (at: string, one: Json): void => {
    const members = typeof one === 'object' && one !== null ? Object.entries(one) : [];
    if (members.length === 0) {
      if (at !== '') leaves.set(at, one);
      return;
    }
    for (const [name, member] of members) walk(at === '' ? name : `${at}.${name}`, member);
  };
  walk('', value);
  return leaves;
}

const same = (one: Json | undefined, other: Json): boolean =>
  one !== undefined && JSON.stringify(one) === JSON.stringify(other);
