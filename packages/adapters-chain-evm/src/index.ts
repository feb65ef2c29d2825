export { RpcOutageError } from './rpc.js';
export { UnexplainedNonceError } from './outside-spends.js';
export type { ChainGauges } from './gauges.js';
export { evmChain, type EvmChain } from './chain.js';
export type { ArrivedAtAddress } from './deposits.js';
export { depositKeysOf, type DepositKeys } from './deposit-addresses.js';
export { EVM_NETWORKS, type EvmNetwork, type EvmToken } from './networks.js';
export { ALARMS } from './options.js';
export type {
  AlarmName,
  AlarmSink,
  DepositOptions,
  EvmChainOptions,
  EvmNetworkOptions,
  HotWalletOptions,
} from './options.js';
export type { WalletSummary } from './wallets.js';
