import { type Address, concatHex, decodeAbiParameters, encodeAbiParameters, type Hex } from 'viem';

import type { Place } from './place.js';
import type { Header, Rpc } from './rpc.js';

/** The units of each asset of an address, in the order of the network's assets; null for a token that does not answer. */
export type Balances = ReadonlyMap<string, bigint | null>;

/** The results of one call must fit into the code of a contract, of at most 24 KiB. */
const WORDS_MAX = 700;

/** Reads the balances of many addresses in a block, with one call for each group. Throws for an answer about another block. */
export async function balancesAt(
  { assets }: Pick<Place, 'assets'>,
  rpc: Rpc,
  { owners, block }: { readonly owners: readonly Address[]; readonly block: Pick<Header, 'number' | 'at'> },
): Promise<readonly Balances[]> {
  const tokens = assets.flatMap(({ asset, token }) => (token === null ? [] : [{ asset, token }]));
  const native = assets.find(({ token }) => token === null)?.asset ?? '';
  const width = tokens.length + 1;
  const found: Balances[] = [];
  for (let at = 0; at < owners.length;) {
    const some = owners.slice(at, at + Math.max(1, Math.floor(WORDS_MAX / width)));
    const units = await probe(rpc, { owners: some, tokens: tokens.map(({ token }) => token), block });
    if (units.length !== some.length * width + 1) throw new Error('The RPC answered with too few balances.');
    // Some nodes answer with their newest state, whatever the block.
    if (Number(units.at(-1)) * 1_000 !== block.at) throw new Error('The RPC answered with balances of another block.');
    for (let nth = 0; nth < some.length; nth += 1) {
      const row = units.slice(nth * width, (nth + 1) * width);
      found.push(new Map([native, ...tokens.map(({ asset }) => asset)].map((asset, n) => [asset, known(row[n])])));
    }
    at += some.length;
  }
  return found;
}

const known = (units: bigint | undefined) => (units === undefined || units === UNANSWERED ? null : units);

interface BalanceQuery {
  readonly owners: readonly Address[];
  readonly tokens: readonly Address[];
  readonly block: Pick<Header, 'number'>;
}

async function probe(rpc: Rpc, { owners, tokens, block }: BalanceQuery): Promise<readonly bigint[]> {
  const data = concatHex([
    PROBE_CODE,
    encodeAbiParameters([{ type: 'address[]' }, { type: 'address[]' }], [owners, tokens]),
  ]);
  const answer = await rpc.ask(() => rpc.client.call({ data, blockNumber: BigInt(block.number) }));
  if (answer.data === undefined) throw new Error('The RPC answered without balances.');
  return decodeAbiParameters([{ type: 'uint256[]' }], answer.data)[0];
}

const UNANSWERED = 2n ** 256n - 1n;
/** The compiled test/contracts/balance-probe.sol; a test compares them. */
const PROBE_CODE: Hex =
  '0x608060405234801561001057600080fd5b506040516104e43803806104e483398101604081905261002f91610393565b60008151600161003f9190610412565b90506000818451610050919061042b565b61005b906001610412565b6001600160401b03811115610072576100726102bb565b60405190808252806020026020018201604052801561009b578160200160208202803683370190505b50905042818386516100ad919061042b565b815181106100bd576100bd610442565b60200260200101818152505060005b845181101561028e578481815181106100e7576100e7610442565b60200260200101516001600160a01b031631828483610106919061042b565b8151811061011657610116610442565b60200260200101818152505060005b84518110156102855760008086838151811061014357610143610442565b60200260200101516001600160a01b03166370a0823189868151811061016b5761016b610442565b602002602001015160405160240161019291906001600160a01b0391909116815260200190565b6040516020818303038152906040529060e01b6020820180516001600160e01b0383818316178352505050506040516101cb9190610458565b600060405180830381855afa9150503d8060008114610206576040519150601f19603f3d011682016040523d82523d6000602084013e61020b565b606091505b509150915081801561021f57506020815110155b61022b5760001961023f565b8080602001905181019061023f9190610487565b858461024b898861042b565b6102559190610412565b610260906001610412565b8151811061027057610270610442565b60209081029190910101525050600101610125565b506001016100cc565b506000816040516020016102a291906104a0565b6040516020818303038152906040529050805160208201f35b634e487b7160e01b600052604160045260246000fd5b80516001600160a01b03811681146102e857600080fd5b919050565b600082601f8301126102fe57600080fd5b81516001600160401b03811115610317576103176102bb565b604051600582901b90603f8201601f191681016001600160401b0381118282101715610345576103456102bb565b60405291825260208185018101929081018684111561036357600080fd5b6020860192505b838310156103895761037b836102d1565b81526020928301920161036a565b5095945050505050565b600080604083850312156103a657600080fd5b82516001600160401b038111156103bc57600080fd5b6103c8858286016102ed565b602085015190935090506001600160401b038111156103e657600080fd5b6103f2858286016102ed565b9150509250929050565b634e487b7160e01b600052601160045260246000fd5b80820180821115610425576104256103fc565b92915050565b8082028115828204841417610425576104256103fc565b634e487b7160e01b600052603260045260246000fd5b6000825160005b81811015610479576020818601810151858301520161045f565b506000920191825250919050565b60006020828403121561049957600080fd5b5051919050565b602080825282518282018190526000918401906040840190835b818110156104d85783518352602093840193909201916001016104ba565b50909594505050505056fe';
