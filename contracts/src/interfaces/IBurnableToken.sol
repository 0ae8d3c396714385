// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @title IBurnableToken
/// @notice The token that bets are made in: ERC-20, without a fee on transfers; holders can burn their own.
interface IBurnableToken is IERC20 {
    /// @notice Destroys tokens of the caller.
    /// @param value How many, in the token's smallest unit.
    function burn(uint256 value) external;
}
