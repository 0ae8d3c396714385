// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title ICommittedWork
/// @notice Work that is challenged must be what its peer committed to.
interface ICommittedWork {
    /// @notice Thrown when a call names another commitment than the peer made, or it has made none.
    /// @param round The round.
    /// @param peerKey The peer.
    error Challenges_NotCommitted(uint64 round, bytes32 peerKey);

    /// @notice Thrown when a leaf is not under the root that was committed.
    /// @param leafHash The leaf.
    error Challenges_NotUnderRoot(bytes32 leafHash);

    /// @notice Thrown when a challenge needs a beacon that is not recorded.
    /// @param round The beacon's round.
    error Challenges_NoBeacon(uint64 round);
}
