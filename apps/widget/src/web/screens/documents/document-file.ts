/** What the service takes as a document, and how large it may be. */
export const DOCUMENT_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'application/pdf'] as const;
export const DOCUMENT_BYTES_MAX = 10 * 1024 * 1024;

/** The longer side of a picture that is sent: enough to read any document by. */
const PIXELS_MAX = 2_400;
const QUALITY = 0.9;

/** A file that can be sent, or the code with which the service would refuse it. */
type Prepared = { readonly file: Blob } | { readonly code: 'unsupported_media_type' | 'body_too_large' };

/** Large photos are made smaller here, so that they arrive over a slow connection too. */
export async function prepareFile(file: Blob): Promise<Prepared> {
  if (!DOCUMENT_TYPES.some((type) => type === file.type)) return { code: 'unsupported_media_type' };
  const sent = file.type === 'application/pdf' ? file : await scaledDown(file);
  return sent.size > DOCUMENT_BYTES_MAX ? { code: 'body_too_large' } : { file: sent };
}

/** The picture as it is, unless it is larger than it needs to be. What this browser cannot read is the service's to look at. */
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
