import type { NextConfig } from 'next';

const config: NextConfig = {
  // Of the gate in memory. The widget finds its pages by its own place, so it must not be bundled.
  serverExternalPackages: ['@gateramp/widget', 'express'],
};

export default config;
