// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @dev Rounds that a word per peer stays readable: k + 3, so that it outlives settlement in r + 3 and finality after
/// r + k. A ring writes over warm words, which costs 5,000 gas where a fresh one costs 20,000.
uint64 constant RING = 6;
