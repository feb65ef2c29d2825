// Written by scripts/generate-types.mjs out of spec/.

/** The hosts of the service. A deployment replaces them in `spec/openapi.json`, or sets `baseUrl`. */
export const HOSTS = {
  live: 'https://api.gateramp.example',
  test: 'https://sandbox.gateramp.example',
  pools: 'https://pools.gateramp.example',
} as const;
