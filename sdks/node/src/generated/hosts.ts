// Written by scripts/generate-types.mjs out of spec/.

/** Where the service is; a deployment writes its own into `spec/openapi.json`, or says `baseUrl`. */
export const HOSTS = {
  live: 'https://api.gateramp.example',
  test: 'https://sandbox.gateramp.example',
  pools: 'https://pools.gateramp.example',
} as const;
