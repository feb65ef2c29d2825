/** Types for the part of Playwright's untyped bundle that is used here. */
declare module 'playwright-core/lib/utilsBundle' {
  interface DecodedPng {
    readonly width: number;
    readonly height: number;
    /** Red, green, blue and alpha of each pixel. */
    readonly data: Uint8Array;
  }
  const bundle: { readonly PNG: { readonly sync: { read(file: Uint8Array): DecodedPng } } };
  export default bundle;
}
