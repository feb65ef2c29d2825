// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// A small ERC-20 for tests, with the bad habits of real ones: a fee on transfers, a list of refused receivers.
contract TestToken {
  event Transfer(address indexed from, address indexed to, uint256 value);

  uint8 public decimals;
  uint256 public feeBps;
  mapping(address => uint256) public balanceOf;
  mapping(address => bool) public isRefused;
  bool public isPaused;
  /// Logs the whole amount although less arrives.
  bool public isLying;

  constructor(uint8 decimals_, uint256 feeBps_) {
    decimals = decimals_;
    feeBps = feeBps_;
  }

  function mint(address to, uint256 value) external {
    balanceOf[to] += value;
    emit Transfer(address(0), to, value);
  }

  function refuse(address receiver) external {
    isRefused[receiver] = true;
  }

  function pause(bool isPaused_) external {
    isPaused = isPaused_;
  }

  function transfer(address to, uint256 value) external returns (bool) {
    require(!isPaused, "paused");
    require(!isRefused[to], "receiver refused");
    require(balanceOf[msg.sender] >= value, "transfer amount exceeds balance");
    uint256 fee = value * feeBps / 10000;
    balanceOf[msg.sender] -= value;
    balanceOf[to] += value - fee;
    emit Transfer(msg.sender, to, isLying ? value : value - fee);
    return true;
  }

  function charge(uint256 feeBps_, bool isLying_) external {
    feeBps = feeBps_;
    isLying = isLying_;
  }

  /// Many transfers in one transaction.
  function transferMany(address to, uint256 value, uint256 count) external {
    for (uint256 i = 0; i < count; i++) this.transferFor(msg.sender, to, value);
  }

  /// Two transfers in one transaction.
  function transferTwice(address to, uint256 first, uint256 second) external {
    this.transferFor(msg.sender, to, first);
    this.transferFor(msg.sender, to, second);
  }

  function transferFor(address from, address to, uint256 value) external {
    require(msg.sender == address(this));
    balanceOf[from] -= value;
    balanceOf[to] += value;
    emit Transfer(from, to, value);
  }

  /// Native coins sent on from a contract, which appear in no transaction's value to the receiver.
  function forward(address payable to) external payable {
    to.transfer(msg.value);
  }
}
