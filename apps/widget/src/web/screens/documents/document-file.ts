/** The document types and the maximum size that the service accepts. */
export const DOCUMENT_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'application/pdf'] as const;
export const DOCUMENT_BYTES_MAX = 10 * 1024 * 1024;

/** The maximum length of the longer side in pixels, enough to read any document. */
const PIXELS_MAX = 2_400;
const QUALITY = 0.9;

/** The file to send, or the error code with which the service would refuse it. */
type Prepared = { readonly file: Blob } | { readonly code: 'unsupported_media_type' | 'body_too_large' };

/** Checks a file and scales down large photos, so that they can be sent over slow connections. */
export async function prepareFile(file: Blob): Promise<Prepared> {
  if (!DOCUMENT_TYPES.some((type) => type === file.type)) return { code: 'unsupported_media_type' };
  const sent = file.type === 'application/pdf' ? file : await scaledDown(file);
  return sent.size > DOCUMENT_BYTES_MAX ? { code: 'body_too_large' } : { file: sent };
}

/**
 * Scales down a picture above the maximum length. A picture that this browser cannot decode is sent unchanged, for the service to check.
 */
async function scaledDown(file: Blob): Promise<Blob> {
  const picture = await createImageBitmap(file).catch(() => null);
  if (picture === null) return file;
  try {
    const scale = PIXELS_MAX / Math.max(picture.width, picture.height);
    return scale >= 1 ? file : await drawn(picture, scale);
  } finally {
    picture.close();
  }
}

async function drawn(picture: ImageBitmap, scale: number): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(picture.width * scale);
  canvas.height = Math.round(picture.height * scale);
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    const finish = (blob: Blob | null): void => (blob === null ? reject(new Error('no picture')) : resolve(blob));
    canvas.toBlob(finish, 'image/jpeg', QUALITY);
  });
}
