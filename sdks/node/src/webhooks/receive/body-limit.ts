/** No event is nearly as large: metadata, its greatest part, has 16 KiB. */
export const BODY_BYTES_MAX = 256 * 1024;
