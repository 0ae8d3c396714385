// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

/// @title MarketShares
/// @notice Shares of a bet: its stake times a rate that never rises from one round to the next.
/// @dev Rates are 1e18 fixed point, at most 1. Stakes and shares are below 2^96, so that no product here but that of
/// `portionDown` comes near 256 bits. Shares and portions round down, prices up.
library MarketShares {
    /// @dev A rate, or a price, of 1.
    uint256 internal constant ONE = 1e18;

    /// @dev A tenth: the part of a choice's shares that a round may add.
    uint256 internal constant GROWTH_DIVISOR = 10;

    /// @notice The rate of a round that takes all: 1.5^-round.
    /// @param round The game's round, below 32.
    /// @return rate 1e18 fixed point, rounded down.
    function weight(uint256 round) internal pure returns (uint256 rate) {
        return (ONE * 2 ** round) / 3 ** round;
    }

    /// @notice The most shares that a round adds to a choice.
    /// @param openingShares Shares of the choice before it.
    /// @param freeShares Shares that a round may add on top of a tenth of them.
    /// @return most Below 2^96, as all shares are.
    function mostAdded(uint256 openingShares, uint256 freeShares) internal pure returns (uint256 most) {
        most = openingShares / GROWTH_DIVISOR + freeShares;
        return most < type(uint96).max ? most : type(uint96).max;
    }

    /// @notice The rate at which the bets of a round on a choice become shares, all alike.
    /// @param stake All bets of the round on the choice.
    /// @param most Most shares that they can buy.
    /// @param ceiling Highest possible rate.
    /// @return rate 1e18 fixed point.
    function rateDown(uint256 stake, uint256 most, uint256 ceiling) internal pure returns (uint256 rate) {
        return toSharesDown(stake, ceiling) > most ? (most * ONE) / stake : ceiling;
    }

    /// @notice Shares of a stake.
    /// @param stake The stake.
    /// @param rate 1e18 fixed point.
    /// @return shares Rounded down.
    function toSharesDown(uint256 stake, uint256 rate) internal pure returns (uint256 shares) {
        return (stake * rate) / ONE;
    }

    /// @notice Tokens for a share.
    /// @param rate 1e18 fixed point.
    /// @return price 1e18 fixed point, rounded up; the largest value if a stake buys nothing.
    function toPriceUp(uint256 rate) internal pure returns (uint256 price) {
        return rate == 0 ? type(uint256).max : Math.ceilDiv(ONE * ONE, rate);
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
