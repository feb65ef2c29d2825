import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

export type Encoding = 'br' | 'gzip' | 'identity';

/** A text in all supported encodings. */
export type Encoded = Readonly<Record<Encoding, Uint8Array>>;

/** The smallest encoding that the client's `Accept-Encoding` allows. */
export function encodingFor(accepted: string | undefined): Encoding {
  const named = new Map(
    (accepted ?? '').split(',').map((part): [string, boolean] => {
      const [name = '', ...parameters] = part
        .toLowerCase()
        .split(';')
        .map((one) => one.trim());
      return [name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))];
    }),
  );
  if (named.get('br') === true) return 'br';
  return named.get('gzip') === true ? 'gzip' : 'identity';
}

/** For texts generated at run time; files are compressed at build time. */
export function encoded(text: string): Encoded {
  const identity = Buffer.from(text);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
  return { identity, br: brotliCompressSync(identity, { params }), gzip: gzipSync(identity) };
}
