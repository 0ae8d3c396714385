// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IChallengeBonds} from "../interfaces/IChallengeBonds.sol";

/// @title ChallengeBonds
/// @notice The part of `Challenges` that owes and pays.
abstract contract ChallengeBonds is IChallengeBonds {
    mapping(address account => uint256 amountWei) internal _credits;

    /// @inheritdoc IChallengeBonds
    function withdraw(address account) external returns (uint256 amountWei) {
        amountWei = _credits[account];
        if (amountWei == 0) revert Challenges_NothingToWithdraw(account);
        _credits[account] = 0;
        emit Withdrawn(account, amountWei);
        (bool isTaken, ) = account.call{value: amountWei}("");
        if (!isTaken) revert Challenges_Refused(account, amountWei);
    }

    /// @inheritdoc IChallengeBonds
    function creditOf(address account) external view returns (uint256 amountWei) {
        return _credits[account];
    }

    function _credit(address account, uint256 amountWei) internal {
        if (amountWei == 0) return;
        _credits[account] += amountWei;
        emit Credited(account, amountWei);
    }
}
