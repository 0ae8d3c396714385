// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

/// @title MarketPrices
/// @notice Batch prices of a round, from the stakes at its opening.
/// @dev Stakes are below 2^112, so that with at most 16 choices a sum of squares is below 2^231: it cannot overflow.
/// Every division of a price rounds up, every division of shares and payouts down.
library MarketPrices {
    /// @dev A price of 1.
    uint256 internal constant ONE = 1e18;

    /// @dev No choice is cheaper than a fifth of an even one: shares of a bet are at most 5 times the bet.
    uint256 internal constant FLOOR = 0.2e18;

    /// @notice The weight of a choice: its stake with the virtual stake, squared.
    /// @param stake Stake on the choice at the round's opening.
    /// @param virtualStake V of the game.
    /// @return square (B + V)^2.
    function weight(uint256 stake, uint256 virtualStake) internal pure returns (uint256 square) {
        return (stake + virtualStake) * (stake + virtualStake);
    }

    /// @notice The price of a choice: max(n * phi, 0.2) * 1.5^round.
    /// @param square Weight of the choice.
    /// @param sumOfSquares Weights of all choices.
    /// @param choices n.
    /// @param round The game's round, below 32.
    /// @return priceUp 1e18 fixed point, rounded up.
    function price(
        uint256 square,
        uint256 sumOfSquares,
        uint256 choices,
        uint256 round
    ) internal pure returns (uint256 priceUp) {
        uint256 base = Math.mulDiv(choices * ONE, square, sumOfSquares, Math.Rounding.Ceil);
        return Math.mulDiv(Math.max(base, FLOOR), 3 ** round, 2 ** round, Math.Rounding.Ceil);
    }

    /// @notice Shares that a stake buys.
    /// @param stake The stake.
    /// @param atPrice 1e18 fixed point.
    /// @return shares Rounded down.
    function toSharesDown(uint256 stake, uint256 atPrice) internal pure returns (uint256 shares) {
        return Math.mulDiv(stake, ONE, atPrice);
    }

    /// @notice A part's portion of a pot.
    /// @param pot What is divided.
    /// @param part The holder's weight.
    /// @param whole All weights; not zero unless the part is.
    /// @return portion Rounded down.
    function portionDown(uint256 pot, uint256 part, uint256 whole) internal pure returns (uint256 portion) {
        return pot == 0 || part == 0 ? 0 : Math.mulDiv(pot, part, whole);
    }
}
