// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBurnableToken} from "./interfaces/IBurnableToken.sol";
import {IPeerRegistry} from "./interfaces/IPeerRegistry.sol";
import {IMarketGames} from "./interfaces/IMarketGames.sol";
import {IPredictionMarket} from "./interfaces/IPredictionMarket.sol";
import {IRounds} from "./interfaces/IRounds.sol";
import {ISeats} from "./interfaces/ISeats.sol";
import {MarketBets} from "./market/MarketBets.sol";
import {MarketGames} from "./market/MarketGames.sol";
import {MarketLedger} from "./market/MarketLedger.sol";
import {MarketPayouts} from "./market/MarketPayouts.sol";
import {MarketReveals} from "./market/MarketReveals.sol";

/// @title PredictionMarket
/// @notice See `IPredictionMarket`.
contract PredictionMarket is MarketGames, MarketBets, MarketReveals, MarketPayouts {
    /// @param token_ The token that is bet; it takes no fee on transfers.
    /// @param seats_ Who can be drawn to judge a dispute.
    /// @param rounds_ The clock that says which seats sit.
    /// @param registry_ Who speaks for a seat.
    /// @param peerFacade_ The contract that bets for peers of RL Swarm's clients.
    /// @param minDisputeSec_ Least time for each step of a dispute, seconds.
    constructor(
        IBurnableToken token_,
        ISeats seats_,
        IRounds rounds_,
        IPeerRegistry registry_,
        address peerFacade_,
        uint32 minDisputeSec_
    ) MarketLedger(token_, seats_, rounds_, registry_, peerFacade_, minDisputeSec_) {}

    /// @inheritdoc IMarketGames
    function gameOf(uint256 gameId) external view returns (GameView memory view_) {
        Game storage game = _requireGame(gameId);
        view_.config = GameConfig({
            root: game.root,
            roundCount: game.roundCount,
            choiceCount: game.choiceCount,
            startsAtSec: game.startsAtSec,
            bettingSec: game.bettingSec,
            revealSec: game.revealSec,
            disputeSec: game.disputeSec,
            minBet: game.minBet,
            freeShares: game.freeShares,
            bond: game.bond,
            feeBps: game.feeBps
        });
        view_.judge = game.judge;
        view_.phase = phaseOf(gameId);
        uint256 round = block.timestamp < game.startsAtSec ? 0 : _roundOf(game);
        view_.round = uint8(round < game.roundCount ? round : game.roundCount - 1);
        view_.cluesRevealed = game.cluesRevealed;
        view_.answered = game.answered;
        view_.answer = game.answer;
        view_.answeredAtSec = game.answeredAtSec;
        view_.totalStake = _totalStake(gameId);
    }

    /// @inheritdoc IPredictionMarket
    function choiceOf(uint256 gameId, uint8 choice) external view returns (uint256 stake, uint256 shares) {
        return (_pools[gameId][choice].stake, _supplyOf(gameId, choice));
    }

    /// @inheritdoc IPredictionMarket
    function positionOf(
        uint256 gameId,
        uint8 choice,
        bytes32 holder
    ) external view returns (uint256 stake, uint256 shares) {
        Position storage own = _positions[gameId][choice][holder];
        return (own.stake, _sharesOf(gameId, choice, own));
    }
}
