// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ICredits} from "./interfaces/ICredits.sol";

/// @title Credits
/// @notice Credits of accounts, which they withdraw themselves: a transfer that fails must not block the payment of
/// others.
abstract contract Credits is ICredits {
    mapping(address account => uint256 amount) private _credits;

    /// @inheritdoc ICredits
    function creditOf(address account) public view returns (uint256 amount) {
        return _credits[account];
    }

    function _credit(address account, uint256 amount) internal {
        if (amount == 0) return;
        _credits[account] += amount;
        emit Credited(account, amount);
    }

    /// @dev Clears the whole credit of an account; the caller pays it.
    function _takeCredit(address account) internal returns (uint256 amount) {
        amount = _credits[account];
        if (amount == 0) revert Credits_NothingToWithdraw(account);
        _credits[account] = 0;
        emit Withdrawn(account, amount);
    }
}
