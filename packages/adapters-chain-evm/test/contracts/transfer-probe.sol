// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

interface Token {
  function balanceOf(address owner) external view returns (uint256);
}

/// Put in the wallet's place by a state override: transfers, and returns by how much the receiver's balance rose.
contract TransferProbe {
  function probe(Token token, address to, uint256 amount) external returns (uint256) {
    uint256 earlier = token.balanceOf(to);
    // Not by the interface: USDT returns nothing.
    (bool done, ) = address(token).call(abi.encodeWithSelector(0xa9059cbb, to, amount));
    require(done);
    return token.balanceOf(to) - earlier;
  }
}
