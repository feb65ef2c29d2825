/** As people write them; what is not known is shown as the service calls it. */
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
