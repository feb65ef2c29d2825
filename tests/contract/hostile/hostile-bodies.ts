import fc from 'fast-check';

// Created once: creating each of these iterates over all of Unicode.
const anyText = fc.string({ unit: 'binary' });
const shortText = fc.string({ unit: 'binary', maxLength: 12 });
const anyJson = fc.json({ maxDepth: 3 });
const deepJson = fc.json({ maxDepth: 6 });

/** Bytes that no regular client sends, many of them close to `valid`, the text of an accepted body. */
export function hostileBodies(valid: string): fc.Arbitrary<Uint8Array> {
  return fc.oneof(
    { weight: 8, arbitrary: bent(valid).map(encode) },
    { weight: 4, arbitrary: spliced(valid).map(encode) },
    { weight: 3, arbitrary: withBadBytes(valid) },
    { weight: 3, arbitrary: deepJson.map(encode) },
    { weight: 2, arbitrary: fc.uint8Array({ maxLength: 512 }) },
    { weight: 2, arbitrary: nesting.map(encode) },
    { weight: 1, arbitrary: largest(valid).map(encode) },
  );
}

const encoder = new TextEncoder();

function encode(text: string): Uint8Array {
  return encoder.encode(text);
}

const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'length',
  '',
  'then',
  '\u0000',
  '\ud800',
];

/** Values as JSON text, some of them invalid. */
const VALUES = [
  'null',
  'true',
  '""',
  '[]',
  '{}',
  '0',
  '-0',
  '-1',
  '1e999',
  '-1e999',
  '1e-999',
  '9'.repeat(400),
  `0.${'0'.repeat(400)}1`,
  '1.0',
  '"0"',
  '"1e5"',
  '"-1"',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\ud83d\\ude00"',
  '"__proto__"',
  '{"__proto__":{"isAdmin":true}}',
  '{"constructor":{"prototype":{"a":1}}}',
  '[[[[[[[[]]]]]]]]',
  '"<script>"',
  `"' OR 1=1 --"`,
  '"../../etc/passwd"',
  '"%00"',
  `"${'x'.repeat(5_000)}"`,
  `"${'\u{1f600}'.repeat(200)}"`,
  '"https://shop.example/\\u0000"',
  'NaN',
  'undefined',
  'Infinity',
  '01',
  "'x'",
  '1_000',
  '0x10',
  '{"a":1,"a":2}',
  '{"toString":1,"valueOf":2,"toJSON":3}',
];

/** The body with one to three members added, replaced or removed. */
function bent(valid: string): fc.Arbitrary<string> {
  const members = membersOf(valid);
  const name = fc.oneof(fc.constantFrom(...members.keys(), ...NAMES), shortText);
  const value = fc.oneof(
    fc.constantFrom<string | null>(null, ...VALUES),
    anyJson,
    anyText.map((text) => JSON.stringify(text)),
  );
  return fc.array(fc.tuple(name, value), { minLength: 1, maxLength: 3 }).map((changes) => {
    const next = new Map(members);
    for (const [key, text] of changes) {
      if (text === null) next.delete(key);
      else next.set(key, text);
    }
    return `{${[...next].map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`;
  });
}

function membersOf(valid: string): ReadonlyMap<string, string> {
  const body = JSON.parse(valid) as Readonly<Record<string, unknown>>;
  return new Map(Object.entries(body).map(([name, value]) => [name, JSON.stringify(value)]));
}

/** The text with a part replaced. */
function spliced(valid: string): fc.Arbitrary<string> {
  const piece = fc.oneof(
    fc.constantFrom(...VALUES, ',', ':', '{', '}', '[', ']', '"', '\\', '\ufeff', '\u2028', '\n'),
    shortText,
  );
  return fc
    .tuple(fc.nat(valid.length), fc.nat(12), piece)
    .map(([at, length, text]) => valid.slice(0, at) + text + valid.slice(at + length));
}

const BAD_BYTES = [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82], [0x00], [0x80]];

function withBadBytes(valid: string): fc.Arbitrary<Uint8Array> {
  return fc.tuple(fc.nat(valid.length), fc.constantFrom(...BAD_BYTES)).map(([at, bytes]) => {
    const text = encode(valid);
    return new Uint8Array([...text.subarray(0, at), ...bytes, ...text.subarray(at)]);
  });
}

const nesting = fc
  .tuple(
    fc.constantFrom(['[', ']'], ['{"a":', '}'], ['[{"__proto__":', '}]']),
    fc.constantFrom(31, 32, 33, 500, 4_000),
    fc.constantFrom('1', '', '{}'),
    fc.boolean(),
  )
  .map(
    ([[open = '', close = ''], depth, core, isClosed]) =>
      open.repeat(depth) + core + (isClosed ? close.repeat(depth) : ''),
  );

const LARGEST = 65_536;

/** At the size limit, and beyond it. */
function largest(valid: string): fc.Arbitrary<string> {
  const room = LARGEST - encode(valid).byteLength;
  return fc.constantFrom(
    valid + ' '.repeat(room),
    valid + ' '.repeat(room + 1),
    `"${'x'.repeat(LARGEST)}"`,
    '['.repeat(LARGEST),
    '1'.repeat(LARGEST),
  );
}
