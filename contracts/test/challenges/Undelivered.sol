// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @dev An account that takes no coins.
contract Undelivered {}
