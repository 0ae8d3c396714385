// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {MarketShares} from "../libraries/MarketShares.sol";
import {MarketLedger} from "./MarketLedger.sol";

/// @title MarketPools
/// @notice Stakes and shares of choices and holders. Shares of a round are final when its betting has closed: until
/// then each bet of the round on the choice dilutes the others equally.
abstract contract MarketPools is MarketLedger {
    /// @dev Adds a stake to a choice and a holder, and returns its shares if no bet follows in its round.
    function _place(
        uint256 gameId,
        uint256 choice,
        bytes32 holder,
        uint256 round,
        uint256 stake
    ) internal returns (uint256 shares) {
        Pool storage pool = _pools[gameId][choice];
        (Batch memory batch, uint256 openingShares) = _batchAt(gameId, choice, round);
        batch.stake += uint96(stake);
        if (pool.stake == 0) (pool.firstRound, pool.lastRound) = (uint8(round), uint8(round));
        else if (round != pool.firstRound) {
            (pool.lastRound, pool.openingShares) = (uint8(round), uint96(openingShares));
            _batches[gameId][choice][round] = batch;
        }
        pool.stake += uint96(stake);

        Position storage own = _positions[gameId][choice][holder];
        if (own.stake != 0 && own.round != round) {
            own.shares = uint96(_sharesOf(gameId, choice, own));
            (own.settled, own.settledStake) = (true, own.stake);
        }
        (own.stake, own.round) = (own.stake + uint96(stake), uint8(round));
        return MarketShares.toSharesDown(stake, _rateIn(batch));
    }

    /// @dev Ends a position. Its second word is not read any more and stays: clearing it would make the claim dearer.
    function _forget(Position storage own) internal {
        (own.stake, own.shares, own.round, own.settled) = (0, 0, 0, false);
    }

    /// @dev The bets on a choice in its latest round with bets, or in a later one, and its shares before them.
    function _batchAt(
        uint256 gameId,
        uint256 choice,
        uint256 round
    ) internal view returns (Batch memory batch, uint256 openingShares) {
        Pool storage pool = _pools[gameId][choice];
        (uint256 all, uint256 last) = (pool.stake, pool.lastRound);
        uint256 weight = MarketShares.weight(round);
        if (all == 0) return (Batch(0, type(uint96).max, uint64(weight)), 0);
        // A choice without shares has no holders to dilute: its first round has no cap.
        if (last == pool.firstRound) batch = Batch(uint96(all), type(uint96).max, uint64(MarketShares.weight(last)));
        else (batch, openingShares) = (_batches[gameId][choice][last], pool.openingShares);
        if (round == last) return (batch, openingShares);
        uint256 rate = _rateIn(batch);
        openingShares += MarketShares.toSharesDown(batch.stake, rate);
        uint256 most = MarketShares.mostAdded(openingShares, _games[gameId].freeShares);
        batch = Batch(0, uint96(most), uint64(rate < weight ? rate : weight));
    }

    /// @dev The rate of a round on a choice: fixed once its betting has closed.
    function _rateOf(uint256 gameId, uint256 choice, uint256 round) internal view returns (uint256 rate) {
        Pool storage pool = _pools[gameId][choice];
        (uint256 first, uint256 last) = (pool.firstRound, pool.lastRound);
        uint256 weight = MarketShares.weight(round);
        if (pool.stake == 0 || round <= first) return weight;
        // In a round without bets on the choice, the cap is the rate of the latest round with bets.
        uint256 with = round < last ? round : last;
        while (with > first && _batches[gameId][choice][with].stake == 0) --with;
        rate = _rateWithBets(gameId, choice, with);
        return rate < weight ? rate : weight;
    }

    function _sharesOf(uint256 gameId, uint256 choice, Position storage own) internal view returns (uint256 shares) {
        uint256 pending = own.settled ? own.stake - own.settledStake : own.stake;
        return own.shares + MarketShares.toSharesDown(pending, _rateWithBets(gameId, choice, own.round));
    }

    /// @dev All shares of a choice: at least the sum of its holders' shares, each of which is rounded down.
    function _supplyOf(uint256 gameId, uint256 choice) internal view returns (uint256 shares) {
        (Batch memory batch, uint256 openingShares) = _batchAt(gameId, choice, _pools[gameId][choice].lastRound);
        return openingShares + MarketShares.toSharesDown(batch.stake, _rateIn(batch));
    }

    /// @dev Bets of a round on the choice. Those of its first round are stored in its pool only.
    function _rateWithBets(uint256 gameId, uint256 choice, uint256 round) internal view returns (uint256 rate) {
        Batch memory batch = _batches[gameId][choice][round];
        return batch.stake == 0 ? MarketShares.weight(round) : _rateIn(batch);
    }

    /// @dev The cap on shares of a round: without it a late large bettor, nearly certain after the last clues, takes
    /// the pool almost without risk.
    function _rateIn(Batch memory batch) internal pure virtual returns (uint256 rate) {
        return MarketShares.rateDown(batch.stake, batch.most, batch.ceiling);
    }
}
