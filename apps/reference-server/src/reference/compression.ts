import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

export type Encoding = 'br' | 'gzip' | 'identity';

/** A text in every encoding that it is sent in. */
export type Encoded = Readonly<Record<Encoding, Uint8Array>>;

/** The smallest that the client takes, by its `Accept-Encoding`. */
export function encodingFor(accepted: string | undefined): Encoding {
  const named = new Map(
    (accepted ?? '').split(',').map((part): [string, boolean] => {
      const [name = '', ...parameters] = part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/);
      return [name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))];
    }),
  );
  if (named.get('br') === true) return 'br';
  return named.get('gzip') === true ? 'gzip' : 'identity';
}

/** For texts that are made at run time; files are compressed when they are built. */
export function encoded(text: string): Encoded {
  const identity = Buffer.from(text);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
  return { identity, br: brotliCompressSync(identity, { params }), gzip: gzipSync(identity) };
}
