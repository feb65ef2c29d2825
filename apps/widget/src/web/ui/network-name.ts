/** Display names of networks. Unknown networks show the service's name. */
const NAMES: Readonly<Record<string, string>> = {
  base: 'Base',
  ethereum: 'Ethereum',
  polygon: 'Polygon',
  arbitrum: 'Arbitrum',
  optimism: 'Optimism',
  solana: 'Solana',
  bitcoin: 'Bitcoin',
  bsc: 'BNB Smart Chain',
  avalanche: 'Avalanche',
};

export function networkName(network: string): string {
  return NAMES[network] ?? network;
}
