/** Far above any event: metadata, its largest part, is limited to 16 KiB. */
export const BODY_BYTES_MAX = 256 * 1024;
