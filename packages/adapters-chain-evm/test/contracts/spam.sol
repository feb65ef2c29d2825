// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// A worthless token whose logs claim anything: transfers that never happened, to as many addresses as it is given.
contract Spam {
  event Transfer(address indexed from, address indexed to, uint256 value);

  function airdrop(address[] calldata receivers, uint256 value) external {
    for (uint256 i = 0; i < receivers.length; i++) emit Transfer(msg.sender, receivers[i], value);
  }

  function balanceOf(address) external pure returns (uint256) {
    return 0;
  }
}
