/** Document images that an identity check can request. */
export const DOCUMENT_SIDES = ['front', 'back', 'selfie'] as const;

/** One of `DOCUMENT_SIDES`. */
export type DocumentSide = (typeof DOCUMENT_SIDES)[number];

/** Accepted media types of identity documents. */
export const DOCUMENT_MEDIA_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'application/pdf'] as const;

/** One of `DOCUMENT_MEDIA_TYPES`. */
export type DocumentMediaType = (typeof DOCUMENT_MEDIA_TYPES)[number];

/** Maximum size of one document in bytes; larger uploads are refused with 413. */
export const DOCUMENT_BYTES_MAX = 10 * 1024 * 1024;

/** Parses the name of a document side; null if unknown. */
export function documentSide(name: string): DocumentSide | null {
  return DOCUMENT_SIDES.find((side) => side === name) ?? null;
}

/** The media type of a `Content-Type` header, without its parameters; null if it is not accepted. */
export function documentMediaType(contentType: string | null): DocumentMediaType | null {
  const name = contentType?.split(';')[0]?.trim().toLowerCase();
  return DOCUMENT_MEDIA_TYPES.find((type) => type === name) ?? null;
}

/** Detects the media type from the file's first bytes, regardless of its name; null if it is not accepted. */
export function sniffMediaType(bytes: Uint8Array): DocumentMediaType | null {
  const found = SIGNATURES.find(({ parts }) =>
    parts.every(({ at, is }) => is.every((byte, index) => bytes[at + index] === byte)),
  );
  return found?.type ?? null;
}

interface Signature {
  readonly type: DocumentMediaType;
  readonly parts: readonly { readonly at: number; readonly is: readonly number[] }[];
}

const SIGNATURES: readonly Signature[] = [
  { type: 'image/jpeg', parts: [{ at: 0, is: [0xff, 0xd8, 0xff] }] },
  { type: 'image/png', parts: [{ at: 0, is: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] }] },
  {
    type: 'image/webp',
    parts: [
      { at: 0, is: [0x52, 0x49, 0x46, 0x46] },
      { at: 8, is: [0x57, 0x45, 0x42, 0x50] },
    ],
  },
  { type: 'application/pdf', parts: [{ at: 0, is: [0x25, 0x50, 0x44, 0x46, 0x2d] }] },
];
