// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title ISeats
/// @notice Who can be drawn to judge a disputed game. `RewardVotes` is one.
interface ISeats {
    /// @notice The evaluators that sit in a round; it may revert for rounds long past.
    /// @param round The round.
    /// @return evaluatorKeys Peer keys, by seat.
    function seatsAt(uint64 round) external view returns (bytes32[] memory evaluatorKeys);
}
