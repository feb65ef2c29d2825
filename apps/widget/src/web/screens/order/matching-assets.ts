import type { Asset } from '../../app/screen.js';
import { networkName } from '../../ui/network-name.js';

/** The assets that match every word of a search, such as `usdc base` or `Base`. */
export function matchingAssets<One extends Asset>(assets: readonly One[], text: string): readonly One[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return assets.filter(({ token, network }) => {
    const names = `${token} ${network} ${networkName(network)}`.toLowerCase();
    return words.every((word) => names.includes(word));
  });
}
