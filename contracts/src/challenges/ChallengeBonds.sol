// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Credits} from "../Credits.sol";
import {IChallengeBonds} from "../interfaces/IChallengeBonds.sol";

/// @title ChallengeBonds
/// @notice The part of `Challenges` that pays.
abstract contract ChallengeBonds is IChallengeBonds, Credits {
    /// @inheritdoc IChallengeBonds
    function withdraw(address account) external returns (uint256 amountWei) {
        amountWei = _takeCredit(account);
        (bool isTaken, ) = account.call{value: amountWei}("");
        if (!isTaken) revert Challenges_Refused(account, amountWei);
    }
}
