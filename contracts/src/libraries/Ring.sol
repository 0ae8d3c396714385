// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @dev Rounds that a peer's word stays readable: k + 3, so that it outlives settlement in r + 3 and finality after r +
/// k. Overwriting a warm word of the ring costs 5,000 gas instead of 20,000 for a new one.
uint64 constant RING = FINALITY_ROUNDS + 3;

/// @dev Rounds that an outcome stays readable: it outlives two appeals, the last of which is closed from r + 9 on.
/// The word
/// of r + 12 takes its place in r + 13 at the earliest.
uint64 constant OUTCOME_RING = 12;

/// @dev Rounds that a word per proposer stays readable: secrets are committed two rounds ahead, tasks paid in r + 5.
uint64 constant TASK_RING = RING + 2;

/// @dev k: a round is final once the current one is above r + k.
uint64 constant FINALITY_ROUNDS = 3;

/// @dev Peers that one committee scores, at most.
uint32 constant SHARD_PEERS = 32;

/// @dev The tag of a round in a word of the ring: never 0, and the same only for rounds that are some 2^32 apart, so
/// that a word of an older round counts as empty.
function tagOf(uint64 round) pure returns (uint256 tag) {
    return (uint256(round) % type(uint32).max) + 1;
}

/// @dev Place of a shard of a round in the ring.
function slotOf(uint64 round, uint32 shard) pure returns (uint256 slot) {
    return ((round % RING) << 32) | shard;
}
