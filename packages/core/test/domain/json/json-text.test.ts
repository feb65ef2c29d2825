import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { jsonArray, jsonObject, type JsonText, toJsonText, withMembers } from '../../../src/domain/json.js';
import { forAll } from '../for-all.js';

const verbatim = '{ "b": 1.0, "10":1e400,\n"9":-0 }' as JsonText;

describe('JSON as text', () => {
  it('splices raw members in unchanged', () => {
    expect(jsonObject({ id: 'x' }, { metadata: verbatim })).toBe(`{"id":"x","metadata":${verbatim}}`);
    expect(jsonObject({}, { a: verbatim, b: toJsonText(null) })).toBe(`{"a":${verbatim},"b":null}`);
    expect(jsonObject({}, {})).toBe('{}');
  });

  it('adds members at the end of an object without changing the rest', () => {
    expect(withMembers('{"a":1.0}' as JsonText, { b: null })).toBe('{"a":1.0,"b":null}');
    expect(withMembers('{"a":1.0}' as JsonText, {})).toBe('{"a":1.0}');
  });

  it.each(['{}', '{ }', '{\n\t}'])('adds members to an object that has none: %j', (empty) => {
    expect(JSON.parse(withMembers(empty as JsonText, { a: 1 }))).toEqual({ a: 1 });
  });

  it('joins items to an array', () => {
    expect(jsonArray([])).toBe('[]');
    expect(jsonArray([verbatim, toJsonText(2)])).toBe(`[${verbatim},2]`);
  });

  const members = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.constant(null)));
  forAll([members, members])('whatever is put together is JSON again', (some, more) => {
    expect(JSON.parse(withMembers(toJsonText(some), more))).toEqual(
      JSON.parse(JSON.stringify(Object.assign(Object.create(null), some, more))),
    );
  });
});
