// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {IBurnableToken} from "../interfaces/IBurnableToken.sol";
import {IPredictionMarket} from "../interfaces/IPredictionMarket.sol";
import {MarketPrices} from "../libraries/MarketPrices.sol";
import {MarketLedger} from "./MarketLedger.sol";

/// @title MarketBets
/// @notice Prices, quotes and bets.
abstract contract MarketBets is MarketLedger {
    using SafeERC20 for IBurnableToken;

    /// @dev A bet under way; in memory, since all of it does not fit the stack.
    struct Order {
        uint256 gameId;
        bytes32 holder;
        uint256 stake;
        address account;
        uint8 round;
        uint8 choice;
    }

    /// @inheritdoc IPredictionMarket
    function bet(uint256 gameId, uint8 round, uint8 choice, uint256 stake) external returns (uint256 shares) {
        return _bet(Order(gameId, _holderOf(msg.sender), stake, msg.sender, round, choice));
    }

    /// @inheritdoc IPredictionMarket
    function betFor(
        address account,
        bytes32 peerKey,
        uint256 gameId,
        uint8 round,
        uint8 choice,
        uint256 stake
    ) external returns (uint256 shares) {
        _requirePeerFace();
        if (!_betThroughPeer[gameId][account]) _betThroughPeer[gameId][account] = true;
        return _bet(Order(gameId, peerKey, stake, account, round, choice));
    }

    /// @inheritdoc IPredictionMarket
    function priceOf(uint256 gameId, uint8 round, uint8 choice) public view returns (uint256 price) {
        Game storage game = _requireGame(gameId);
        if (choice >= game.choiceCount) revert PredictionMarket_UnknownChoice(choice, game.choiceCount);
        uint256 opened = game.cluesRevealed < game.roundCount ? uint256(game.cluesRevealed) + 1 : game.roundCount;
        if (round >= opened) revert PredictionMarket_RoundNotOpened(round, opened);
        // The next later round with a bet on the choice began with the same stake on it.
        for (uint256 later = round; later < opened; ++later) {
            uint256 stakePlusOne = _openingStakes[gameId][choice][later];
            if (stakePlusOne != 0) return _priceAt(gameId, game, round, stakePlusOne - 1);
        }
        return _priceAt(gameId, game, round, _choices[gameId][choice].stake);
    }

    /// @inheritdoc IPredictionMarket
    function quoteShares(
        uint256 gameId,
        uint8 round,
        uint8 choice,
        uint256 stake
    ) external view returns (uint256 shares) {
        uint256 price = priceOf(gameId, round, choice);
        _requireQuotable(stake);
        return MarketPrices.toSharesDown(stake, price);
    }

    /// @inheritdoc IPredictionMarket
    function quotePayout(uint256 gameId, uint8 choice, uint256 stake) external view returns (uint256 payout) {
        _requirePhase(gameId, Phase.Betting);
        uint256 price = priceOf(gameId, uint8(_roundOf(_games[gameId])), choice);
        _requireQuotable(stake);
        uint256 shares = MarketPrices.toSharesDown(stake, price);
        Stake storage all = _choices[gameId][choice];
        uint256 losing = _totalStake(gameId) - all.stake;
        return stake + MarketPrices.portionDown(losing, shares, all.shares + shares);
    }

    /// @inheritdoc IPredictionMarket
    function roomOf(uint256 gameId, uint8 choice) external view returns (uint256 room) {
        _requirePhase(gameId, Phase.Betting);
        Game storage game = _games[gameId];
        if (choice >= game.choiceCount) revert PredictionMarket_UnknownChoice(choice, game.choiceCount);
        uint256 round = _roundOf(game);
        uint256 stake = _choices[gameId][choice].stake;
        uint256 stakePlusOne = _openingStakes[gameId][choice][round];
        return _roomIn(game, round, stakePlusOne == 0 ? stake : stakePlusOne - 1, stake);
    }

    function _bet(Order memory order) internal returns (uint256 shares) {
        (uint256 gameId, uint256 choice, uint256 stake) = (order.gameId, order.choice, order.stake);
        Game storage game = _requireGame(gameId);
        uint256 price = _admit(game, order);
        shares = MarketPrices.toSharesDown(stake, price);
        if (shares == 0) revert PredictionMarket_ZeroShares(stake, price);

        _add(_choices[gameId][choice], stake, shares);
        _add(_positions[gameId][choice][order.holder], stake, shares);
        emit BetPlaced(gameId, order.holder, order.account, order.round, order.choice, stake, shares);
        token.safeTransferFrom(msg.sender, address(this), stake);
    }

    /// @dev Checks a bet, and notes the choice's stake at the round's opening if it is the first on it in the round.
    function _admit(Game storage game, Order memory order) internal returns (uint256 price) {
        (uint256 gameId, uint256 round, uint256 choice) = (order.gameId, order.round, order.choice);
        _requireBetting(gameId);
        uint256 current = _roundOf(game);
        if (round != current) revert PredictionMarket_WrongRound(round, current);
        if (choice >= game.choiceCount) revert PredictionMarket_UnknownChoice(choice, game.choiceCount);
        if (order.account == game.judge) revert PredictionMarket_JudgeCannotBet(order.account);
        if (order.stake < game.minBet) revert PredictionMarket_BelowMinimum(order.stake, game.minBet);

        uint256 staked = _choices[gameId][choice].stake;
        uint256 stakePlusOne = _openingStakes[gameId][choice][round];
        if (stakePlusOne == 0) {
            stakePlusOne = staked + 1;
            _openingStakes[gameId][choice][round] = stakePlusOne;
        }
        uint256 room = _roomIn(game, round, stakePlusOne - 1, staked);
        if (order.stake > room) revert PredictionMarket_AboveCap(order.stake, room);
        return _priceAt(gameId, game, round, stakePlusOne - 1);
    }

    /// @dev Closed before the round's clue may be revealed: who sees it in the queue comes too late.
    function _requireBetting(uint256 gameId) internal view virtual {
        _requirePhase(gameId, Phase.Betting);
    }

    function _add(Stake storage to, uint256 stake, uint256 shares) internal {
        // The cap keeps the stakes of a choice within their word; shares are at most 5 times the stakes.
        (to.stake, to.shares) = (to.stake + uint112(stake), to.shares + uint128(shares));
    }

    function _priceAt(
        uint256 gameId,
        Game storage game,
        uint256 round,
        uint256 openingStake
    ) internal view returns (uint256 price) {
        (uint256 virtualStake, uint256 choices) = (game.virtualStake, game.choiceCount);
        uint256 sum = round == 0 ? choices * MarketPrices.weight(0, virtualStake) : _openings[gameId][round];
        return MarketPrices.price(MarketPrices.weight(openingStake, virtualStake), sum, choices, round);
    }

    /// @dev The word of a stake holds no more, in whatever round.
    function _requireQuotable(uint256 stake) internal pure {
        if (stake > type(uint112).max) revert PredictionMarket_AboveCap(stake, type(uint112).max);
    }

    /// @dev What is left of the cap. Without it a late whale, near certain after the last clues, takes the pool almost
    /// free of risk.
    function _roomIn(
        Game storage game,
        uint256 round,
        uint256 openingStake,
        uint256 stake
    ) internal view virtual returns (uint256 room) {
        uint256 fits = type(uint112).max - stake;
        return round == 0 ? fits : Math.min(fits, 2 * openingStake + game.virtualStake - stake);
    }
}
