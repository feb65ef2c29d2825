// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// Simulated as a deployment: returns the balances of each owner, native coins first, in place of code. A token that does not answer counts
/// as the highest number. The last number is the time of the block, by which the caller knows whose state it is.
contract BalanceProbe {
  constructor(address[] memory owners, address[] memory tokens) {
    uint256 width = tokens.length + 1;
    uint256[] memory found = new uint256[](owners.length * width + 1);
    found[owners.length * width] = block.timestamp;
    for (uint256 i = 0; i < owners.length; i++) {
      found[i * width] = owners[i].balance;
      for (uint256 j = 0; j < tokens.length; j++) {
        (bool done, bytes memory data) = tokens[j].staticcall(abi.encodeWithSelector(0x70a08231, owners[i]));
        found[i * width + j + 1] = done && data.length >= 32 ? abi.decode(data, (uint256)) : type(uint256).max;
      }
    }
    bytes memory answer = abi.encode(found);
    assembly {
      return(add(answer, 32), mload(answer))
    }
  }
}
