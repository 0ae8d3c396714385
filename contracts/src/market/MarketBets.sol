// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IBurnableToken} from "../interfaces/IBurnableToken.sol";
import {IPredictionMarket} from "../interfaces/IPredictionMarket.sol";
import {MarketShares} from "../libraries/MarketShares.sol";
import {MarketPools} from "./MarketPools.sol";

/// @title MarketBets
/// @notice Prices, quotes and bets.
abstract contract MarketBets is MarketPools {
    using SafeERC20 for IBurnableToken;

    /// @dev Variables of a bet; in memory, since they do not fit the stack.
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
        _requirePeerFacade();
        if (!_betThroughPeer[gameId][account]) _betThroughPeer[gameId][account] = true;
        return _bet(Order(gameId, peerKey, stake, account, round, choice));
    }

    /// @inheritdoc IPredictionMarket
    function priceOf(uint256 gameId, uint8 round, uint8 choice) external view returns (uint256 price) {
        _requireOpened(gameId, round, choice);
        return MarketShares.toPriceUp(_rateOf(gameId, choice, round));
    }

    /// @inheritdoc IPredictionMarket
    function quote(uint256 gameId, uint8 choice, uint256 stake) external view returns (uint256 shares, uint256 payout) {
        uint8 round = _games[gameId].cluesRevealed;
        _requireOpened(gameId, round, choice);
        uint256 staked = _pools[gameId][choice].stake;
        _requireFit(stake, staked);
        (Batch memory batch, uint256 supply) = _batchAt(gameId, choice, round);
        batch.stake += uint96(stake);
        uint256 rate = _rateIn(batch);
        shares = MarketShares.toSharesDown(stake, rate);
        supply += MarketShares.toSharesDown(batch.stake, rate);
        uint256 losing = _totalStake(gameId) - staked;
        uint256 pot = losing - _feeOf(_games[gameId], losing);
        payout = stake + MarketShares.portionDown(pot, shares, supply);
    }

    function _bet(Order memory order) internal returns (uint256 shares) {
        _admit(order);
        uint256 stake = order.stake;
        shares = _place(order.gameId, order.choice, order.holder, order.round, stake);
        if (shares == 0) revert PredictionMarket_ZeroShares(stake, order.round);
        emit BetPlaced(order.gameId, order.holder, order.account, order.round, order.choice, stake, shares);
        token.safeTransferFrom(msg.sender, address(this), stake);
    }

    function _admit(Order memory order) internal view {
        Game storage game = _requireGame(order.gameId);
        _requireBetting(order.gameId);
        uint256 current = _roundOf(game);
        if (order.round != current) revert PredictionMarket_WrongRound(order.round, current);
        if (order.choice >= game.choiceCount) revert PredictionMarket_UnknownChoice(order.choice, game.choiceCount);
        if (order.account == game.judge) revert PredictionMarket_JudgeCannotBet(order.account);
        if (order.stake < game.minBet) revert PredictionMarket_BelowMinimum(order.stake, game.minBet);
        _requireFit(order.stake, _pools[order.gameId][order.choice].stake);
    }

    /// @dev Betting closes before the round's clue may be revealed: whoever sees it in the mempool is too late.
    function _requireBetting(uint256 gameId) internal view virtual {
        _requirePhase(gameId, Phase.Betting);
    }

    /// @dev Bets on the next round follow the proof of the clue before it, and no price changes in between.
    function _requireOpened(uint256 gameId, uint8 round, uint8 choice) internal view {
        Game storage game = _requireGame(gameId);
        if (choice >= game.choiceCount) revert PredictionMarket_UnknownChoice(choice, game.choiceCount);
        uint256 opened = game.cluesRevealed < game.roundCount ? uint256(game.cluesRevealed) + 1 : game.roundCount;
        if (round >= opened) revert PredictionMarket_RoundNotOpened(round, opened);
    }

    /// @dev Stakes of a choice are stored in 96 bits.
    function _requireFit(uint256 stake, uint256 staked) internal pure {
        uint256 remaining = type(uint96).max - staked;
        if (stake > remaining) revert PredictionMarket_TooLarge(stake, remaining);
    }
}
