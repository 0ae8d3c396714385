// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title IJury
/// @notice Errors of verdicts, on an appealed score or on a disputed game.
interface IJury {
    /// @notice Thrown when the sender does not speak for the seat.
    /// @param seatKey The evaluator.
    /// @param account The sender.
    error Jury_NotSeatAccount(bytes32 seatKey, address account);

    /// @notice Thrown when a seat was not drawn, or names a position that is not its own.
    /// @param position The position named.
    /// @param seatKey The evaluator.
    error Jury_NotDrawn(uint256 position, bytes32 seatKey);

    /// @notice Thrown when a seat commits twice.
    /// @param position Its position among those drawn.
    error Jury_AlreadyCommitted(uint256 position);

    /// @notice Thrown when a verdict does not match its commitment, or was already revealed.
    /// @param position The position named.
    /// @param commitment Hash of what was revealed.
    error Jury_NotVerdict(uint256 position, bytes32 commitment);
}
