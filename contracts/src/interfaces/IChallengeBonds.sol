// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ICredits} from "./ICredits.sol";

/// @title IChallengeBonds
/// @notice Bonds of challenges, in the chain's own coin. What comes back waits until it is withdrawn.
interface IChallengeBonds is ICredits {
    /// @notice Thrown when a bond is too small.
    /// @param givenWei What came with the call.
    /// @param dueWei What it must be at least.
    error Challenges_BondTooSmall(uint256 givenWei, uint256 dueWei);

    /// @notice Thrown when an account refuses what it is owed.
    /// @param account The account.
    /// @param amountWei How much.
    error Challenges_Refused(address account, uint256 amountWei);

    /// @notice Pays an account what it is owed; anyone may call.
    /// @param account The account.
    /// @return amountWei How much.
    function withdraw(address account) external returns (uint256 amountWei);
}
