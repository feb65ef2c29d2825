import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { hasBadCharacters, type JsonDocument, readJson } from '../../../src/domain/json.js';
import { forAll } from '../for-all.js';

const DEPTH = 32;
const BODY_BYTES = 64 * 1024;

function read(text: string): JsonDocument {
  return readJson(text, DEPTH)._unsafeUnwrap();
}

function fault(text: string): string {
  return readJson(text, DEPTH)._unsafeUnwrapErr();
}

/** JSON values whose strings every store accepts, with `__proto__` and number-like keys among the keys. */
const cleanText = fc.string({ unit: 'grapheme' }).filter((text) => !hasBadCharacters(text));
const keyText = fc.oneof(cleanText, fc.constantFrom('__proto__', 'constructor', '10', '9', ''));
const { value: jsonValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      cleanText,
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie('value'), { maxLength: 5 }),
    fc
      .uniqueArray(fc.tuple(keyText, tie('value')), { maxLength: 5, selector: ([key]) => key })
      .map((members) => Object.fromEntries(members)),
  ),
}));

const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 3 });

/** The same value in another form: other key order, other whitespace, escaped characters. */
function rewritten(value: unknown, gap: string): string {
  if (Array.isArray(value)) return `[${gap}${value.map((item) => rewritten(item, gap)).join(`${gap},${gap}`)}${gap}]`;
  if (typeof value === 'string') return escaped(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).reverse();
  return `{${gap}${members.map(([key, member]) => `${escaped(key)}${gap}:${gap}${rewritten(member, gap)}`).join(`${gap},${gap}`)}${gap}}`;
}

function escaped(text: string): string {
  return `"${[...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`;
}

describe('the canonical form', () => {
  it('is equal for bodies that differ in key order and white space only', () => {
    expect(read(' {"b": [1, {"d":2,"c":3}],\n"a":"x"} ').canonical).toBe(
      read('{"a":"x","b":[1,{"c":3,"d":2}]}').canonical,
    );
  });

  forAll([jsonValue, space])(
    'does not depend on key order, white space or how characters are escaped',
    (value, gap) => {
      expect(read(gap + rewritten(value, gap) + gap).canonical).toBe(read(JSON.stringify(value)).canonical);
    },
  );

  forAll([jsonValue])('says exactly what the body says, and is its own canonical form', (value) => {
    const text = JSON.stringify(value);
    const { canonical } = read(text);
    expect(sorted(JSON.parse(canonical))).toBe(sorted(value));
    expect(read(canonical).canonical).toBe(canonical);
  });

  forAll([jsonValue, jsonValue])('differs for bodies that say different things', (one, other) => {
    const same = sorted(one) === sorted(other);
    expect(read(JSON.stringify(one)).canonical === read(JSON.stringify(other)).canonical).toBe(same);
  });

  it.each(['1.0', '1e2', '-0', '100000000000000000000000001', '0.1000000000000000055', '1E+400'])(
    'keeps the number %s as written',
    (number) => {
      expect(read(`{"n":${number}}`).canonical).toBe(`{"n":${number}}`);
      expect(read(` ${number} `).canonical).toBe(number);
    },
  );

  it('preserves the order of arrays', () => {
    expect(read('[1,2]').canonical).not.toBe(read('[2,1]').canonical);
  });
});

/** An independent canonical writer, for values without duplicate keys. */
function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}:${sorted(member)}`)
    .sort()
    .join(',')}}`;
}

describe('a repeated key', () => {
  it.each(['a', '__proto__', 'constructor', '7'])('keeps its last value everywhere: %s', (key) => {
    const document = read(`{"${key}":1,"z":0,"${key}":{"n":2.50}}`);
    expect(Object.getOwnPropertyDescriptor(document.value, key)?.value).toEqual({ n: 2.5 });
    expect(document.members.get(key)).toBe('{"n":2.50}');
    expect(document.canonical).toBe(read(`{"z":0,"${key}":{"n":2.50}}`).canonical);
  });

  it('is the same key however it is escaped', () => {
    expect(read('{"a":1,"\\u0061":2}').canonical).toBe('{"a":2}');
  });

  it('never reaches a prototype', () => {
    const { value, members } = read('{"__proto__":{"polluted":true}}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect([...members.keys()]).toEqual(['__proto__']);
  });
});

describe('members', () => {
  it('are returned verbatim: key order, spacing, duplicates and unusual numbers', () => {
    const metadata = '{ "b": 1.0, "10":1, "9" :\n2, "a":1e400, "b":-0 }';
    expect(read(`{"amount":"1", "metadata" : ${metadata} , "x":[ 1 ]}`).members.get('metadata')).toBe(metadata);
  });

  it('are those of the outermost object only', () => {
    expect([...read('{"a":{"b":1},"c":[{"d":2}]}').members.keys()]).toEqual(['a', 'c']);
    expect(read('[{"a":1}]').members.size).toBe(0);
    expect(read('"a"').members.size).toBe(0);
  });

  forAll([fc.dictionary(keyText, jsonValue, { maxKeys: 6 }), space])(
    'are the texts of the members, without surrounding space',
    (object, gap) => {
      const { members } = read(rewritten(object, gap));
      expect(Object.fromEntries(members)).toStrictEqual(
        Object.fromEntries(Object.entries(object).map(([key, member]) => [key, rewritten(member, gap)])),
      );
    },
  );
});

describe('refused input', () => {
  it.each([
    '',
    ' ',
    '{',
    '{"a":1,}',
    "{'a':1}",
    '[1 2]',
    'undefined',
    'NaN',
    '01',
    '\ufeff{}',
    '"\u0001"',
    '"\u0000"',
    '{"a":1}{}',
    '"\\x"',
    '\u00a01',
  ])('malformed text: %j', (text) => {
    expect(fault(text)).toBe('malformed');
  });

  it.each([
    ['a value', '{"a":"x\\u0000"}'],
    ['a key', '{"\\u0000":1}'],
    ['a value that a later duplicate replaces', '{"a":"\\u0000","a":1}'],
    ['a nested array', '[[["\\u0000"]]]'],
    ['a bare string', '"\\u0000"'],
  ])('a NUL in %s', (_where, text) => {
    expect(fault(text)).toBe('bad_characters');
  });

  it.each([
    '"\\ud800"',
    '"\\udc00"',
    '"\\udc00\\ud800"',
    '"\\ud83d\\ud83d\\ude00"',
    '"\\ud83d\\ude00\\ude00"',
    '"\ud800"',
    '{"\\udfff":1}',
    '{"m":{"k":["\\uDBFF!"]}}',
  ])('half a surrogate pair: %j', (text) => {
    expect(fault(text)).toBe('bad_characters');
  });

  it.each(['"\\ud83d\\ude00"', '"😀"', '"\\\\u0000"', '"\\\\ud800"', '"\\u0001"'])(
    'but not whole characters or escaped backslashes: %j',
    (text) => {
      expect(readJson(text, DEPTH).isOk()).toBe(true);
    },
  );

  it('nesting beyond the limit, but not at the limit', () => {
    const nested = (depth: number) => '[{"a":'.repeat(depth / 2) + '0' + '}]'.repeat(depth / 2);
    expect(readJson(nested(DEPTH), DEPTH).isOk()).toBe(true);
    expect(fault(nested(DEPTH + 2))).toBe('too_deep');
    expect(readJson('[[]]', 1)._unsafeUnwrapErr()).toBe('too_deep');
  });

  it('brackets inside strings do not count as nesting', () => {
    expect(readJson(`"${'['.repeat(100)}\\"${'{'.repeat(100)}"`, DEPTH).isOk()).toBe(true);
    expect(readJson(`{"${'['.repeat(100)}":[]}`, 2).isOk()).toBe(true);
  });
});

describe('hostile bodies of 64 KiB', () => {
  const fill = (unit: string) => unit.repeat(Math.floor((BODY_BYTES - 20) / unit.length));
  const bodies: readonly (readonly [string, string])[] = [
    ['open brackets', fill('[')],
    ['balanced brackets', '['.repeat(BODY_BYTES / 2) + ']'.repeat(BODY_BYTES / 2)],
    ['open objects', fill('{"a":')],
    ['empty arrays', `[${fill('[],')}0]`],
    ['one repeated key', `{${fill('"a":1,')}"a":2}`],
    ['different keys', `{${[...Array(7000).keys()].map((n) => `"${n}":1`).join(',')}}`],
    ['backslashes', `"${'\\'.repeat(BODY_BYTES - 20)}"`],
    ['escaped quotes', `"${fill('\\"')}"`],
    ['an unfinished string', `"${fill('a')}`],
    ['escaped lone surrogates', `"${fill('\\ud800')}"`],
    ['escaped NULs as keys', `{${fill('"\\u0000":0,')}"a":0}`],
    ['one long number', '1'.repeat(BODY_BYTES)],
    ['zeros after a point', `0.${'0'.repeat(BODY_BYTES - 2)}`],
    ['white space', `${fill(' \n')}1`],
    ['nearly too deep, over and over', `[${fill(`${'['.repeat(30)}${']'.repeat(30)},`)}0]`],
    ['the proto key', `{${fill('"__proto__":{},')}"a":0}`],
  ];

  it.each(bodies)('%s: answered without throwing or hanging', (_what, text) => {
    const times: number[] = [];
    for (let pass = 0; pass < 3; pass += 1) {
      const started = performance.now();
      expect(readJson(text, DEPTH).isOk() || readJson(text, DEPTH).isErr()).toBe(true);
      times.push(performance.now() - started);
    }
    // One takes a few milliseconds when idle; anything quadratic takes seconds each time. A pause of the machine adds to one of them.
    expect(Math.min(...times)).toBeLessThan(1_000);
  });

  const hostile = fc.string({
    unit: fc.oneof(
      fc.constantFrom(...'{}[]":,\\ \n0-1.eEtrufalsn'),
      fc.constantFrom('\\u0000', '\\ud800', '\ud800', '__proto__', '"a":'),
      fc.string({ maxLength: 1 }),
    ),
  });

  forAll([hostile])('any text gets an answer, and the same verdict as JSON.parse', (text) => {
    const verdict = readJson(text, DEPTH);
    expect(verdict.isErr() && verdict.error === 'malformed').toBe(!parses(text));
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
