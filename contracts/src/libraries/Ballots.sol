// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title Ballots
/// @notice The stored word of a ballot: the round's tag in the upper 32 bits, 1 bit for revealed, and the lower
/// 223 bits of the commitment bound to its evaluator.
library Ballots {
    uint256 internal constant REVEALED = 1 << 223;

    /// @notice Binds a commitment to its evaluator, so that nobody else can reveal it.
    /// @param commitment The commitment.
    /// @param evaluatorKey The evaluator.
    /// @return bits The lower 223 bits of the word.
    function bound(bytes32 commitment, bytes32 evaluatorKey) internal pure returns (uint256 bits) {
        return uint256(keccak256(abi.encode(commitment, evaluatorKey))) & (REVEALED - 1);
    }
}
