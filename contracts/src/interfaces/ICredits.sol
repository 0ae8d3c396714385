// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title ICredits
/// @notice What accounts are owed, and have yet to take: by `Challenges` in the chain's own coin, wei; by the market in
/// its token's smallest unit.
interface ICredits {
    /// @notice Emitted when something is owed to an account.
    /// @param account The account.
    /// @param amount How much more.
    event Credited(address indexed account, uint256 amount);

    /// @notice Emitted when an account takes what it is owed.
    /// @param account The account.
    /// @param amount How much.
    event Withdrawn(address indexed account, uint256 amount);

    /// @notice Thrown when an account is owed nothing.
    /// @param account The account.
    error Credits_NothingToWithdraw(address account);

    /// @notice What an account is owed.
    /// @param account The account.
    /// @return amount How much.
    function creditOf(address account) external view returns (uint256 amount);
}
