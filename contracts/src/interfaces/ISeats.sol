// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title ISeats
/// @notice Who can be drawn to judge. `RewardVotes` is one.
interface ISeats {
    /// @notice How many evaluators sit in a round; it may revert for rounds long past.
    /// @param round The round.
    /// @return seats Number of seats.
    function seatCountAt(uint64 round) external view returns (uint32 seats);

    /// @notice The evaluator in a seat; it may revert for rounds long past.
    /// @param round The round.
    /// @param seat The seat.
    /// @return evaluatorKey Its peer key.
    function seatAt(uint64 round, uint32 seat) external view returns (bytes32 evaluatorKey);
}
