// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ICredits} from "./ICredits.sol";

/// @title IChallengeBonds
/// @notice Bonds of challenges, in the chain's native coin. Returned bonds are credited until they are withdrawn.
interface IChallengeBonds is ICredits {
    /// @notice Thrown when a bond is too small.
    /// @param givenWei Amount sent.
    /// @param dueWei Least amount.
    error Challenges_BondTooSmall(uint256 givenWei, uint256 dueWei);

    /// @notice Thrown when an account refuses a payment.
    /// @param account The account.
    /// @param amountWei Amount.
    error Challenges_Refused(address account, uint256 amountWei);

    /// @notice Pays an account its credit; anyone may call.
    /// @param account The account.
    /// @return amountWei Amount.
    function withdraw(address account) external returns (uint256 amountWei);
}
