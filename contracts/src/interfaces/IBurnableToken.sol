// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @title IBurnableToken
/// @notice What the market asks of the token that is bet: ERC-20, no fee on transfers, and holders can burn their own.
interface IBurnableToken is IERC20 {
    /// @notice Destroys tokens of the caller.
    /// @param value How many, in the token's smallest unit.
    function burn(uint256 value) external;
}
