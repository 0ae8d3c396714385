// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title Ballots
/// @notice The word that is kept of a ballot: the round's tag in the upper 32 bits, 1 bit for revealed, and the lower
/// 223 bits of the commitment bound to its evaluator.
library Ballots {
    uint256 internal constant REVEALED = 1 << 223;

    /// @notice Binds a commitment to who made it, so that it can't be revealed in another's name.
    /// @param commitment The commitment.
    /// @param evaluatorKey The evaluator.
    /// @return bits The lower 223 bits of the word.
    function bound(bytes32 commitment, bytes32 evaluatorKey) internal pure returns (uint256 bits) {
        return uint256(keccak256(abi.encode(commitment, evaluatorKey))) & (REVEALED - 1);
    }
}
