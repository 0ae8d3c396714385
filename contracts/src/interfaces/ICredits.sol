// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title ICredits
/// @notice Amounts that accounts can withdraw: from `Challenges` in wei of the chain's native coin, from the market in
/// its token's smallest unit.
interface ICredits {
    /// @notice Emitted when an account is credited.
    /// @param account The account.
    /// @param amount Amount added.
    event Credited(address indexed account, uint256 amount);

    /// @notice Emitted when an account withdraws its credit.
    /// @param account The account.
    /// @param amount Amount.
    event Withdrawn(address indexed account, uint256 amount);

    /// @notice Thrown when an account has no credit.
    /// @param account The account.
    error Credits_NothingToWithdraw(address account);

    /// @notice Credit of an account.
    /// @param account The account.
    /// @return amount Amount.
    function creditOf(address account) external view returns (uint256 amount);
}
