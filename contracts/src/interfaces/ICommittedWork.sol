// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title ICommittedWork
/// @notice Errors that all challenges of committed work share.
interface ICommittedWork {
    /// @notice Thrown when a challenge needs a beacon that is not recorded.
    /// @param round The beacon's round.
    error Challenges_NoBeacon(uint64 round);
}
