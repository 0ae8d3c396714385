// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IBurnableToken} from "../interfaces/IBurnableToken.sol";
import {IPredictionMarket} from "../interfaces/IPredictionMarket.sol";
import {MarketShares} from "../libraries/MarketShares.sol";
import {MarketDisputes} from "./MarketDisputes.sol";

/// @title MarketPayouts
/// @notice Ends games and pays holders: the stake on the winning choice and a portion of the pot by shares, or a refund
/// of all stakes.
abstract contract MarketPayouts is MarketDisputes {
    using SafeERC20 for IBurnableToken;

    /// @dev A tenth of the loser's bond pays the committee.
    uint256 private constant VERDICT_PAY_DIVISOR = 10;

    /// @inheritdoc IPredictionMarket
    function cancel(uint256 gameId) external {
        Game storage game = _requireGame(gameId);
        if (msg.sender != game.judge) revert PredictionMarket_NotJudge(msg.sender, game.judge);
        Phase phase = phaseOf(gameId);
        if (game.answered || phase >= Phase.ResolutionDue) {
            revert PredictionMarket_WrongPhase(gameId, phase);
        }
        _voidForfeiting(gameId, game);
    }

    /// @inheritdoc IPredictionMarket
    function resolve(uint256 gameId) public {
        Game storage game = _requireGame(gameId);
        _requirePhase(gameId, Phase.ResolutionDue);
        if (!game.answered) _voidForfeiting(gameId, game);
        else if (_disputes[gameId].disputer == address(0)) _uphold(gameId, game);
        else _resolveDispute(gameId, game);
    }

    /// @inheritdoc IPredictionMarket
    function claim(uint256 gameId) external returns (uint256 payout) {
        return _claim(gameId, msg.sender, _holderOf(msg.sender));
    }

    /// @inheritdoc IPredictionMarket
    function claimFor(address account, bytes32 peerKey, uint256 gameId) external returns (uint256 payout) {
        _requirePeerFacade();
        return _claim(gameId, account, peerKey);
    }

    /// @inheritdoc IPredictionMarket
    function withdraw() external returns (uint256 amount) {
        amount = _takeCredit(msg.sender);
        token.safeTransfer(msg.sender, amount);
    }

    /// @inheritdoc IPredictionMarket
    function claimableOf(uint256 gameId, bytes32 holder) external view returns (uint256 payout) {
        Game storage game = _requireGame(gameId);
        if (game.outcome == Outcome.Open) return 0;
        (uint256 stake, uint256 weight) = _rightsOf(gameId, game, holder);
        Settlement storage divided = _settlements[gameId];
        return stake + MarketShares.portionDown(divided.pot, weight, divided.weight);
    }

    function _claim(uint256 gameId, address account, bytes32 holder) internal returns (uint256 payout) {
        Game storage game = _requireGame(gameId);
        if (game.outcome == Outcome.Open) resolve(gameId);
        (uint256 stake, uint256 weight) = _rightsOf(gameId, game, holder);
        if (stake == 0) revert PredictionMarket_NothingToClaim(gameId, holder);

        _forgetAll(gameId, game, holder);
        Settlement storage divided = _settlements[gameId];
        uint256 pot = divided.pot;
        uint256 dust = 0;
        payout = stake;
        if (pot != 0) {
            uint256 portion = MarketShares.portionDown(pot, weight, divided.weight);
            payout += portion;
            (uint256 potLeft, uint256 stakeLeft) = (divided.potLeft - portion, divided.stakeLeft - stake);
            if (stakeLeft == 0) (dust, potLeft) = (potLeft, 0);
            (divided.potLeft, divided.stakeLeft) = (uint128(potLeft), uint128(stakeLeft));
        }
        emit Claimed(gameId, holder, account, payout);
        if (dust != 0) _burn(gameId, dust);
        token.safeTransfer(account, payout);
    }

    /// @dev Both are 0 once claimed.
    function _rightsOf(
        uint256 gameId,
        Game storage game,
        bytes32 holder
    ) internal view returns (uint256 stake, uint256 weight) {
        if (game.outcome == Outcome.Resolved) {
            Position storage own = _positions[gameId][game.answer][holder];
            return (own.stake, _sharesOf(gameId, game.answer, own));
        }
        uint256 choices = game.choiceCount;
        for (uint256 choice = 0; choice < choices; ++choice) stake += _positions[gameId][choice][holder].stake;
        return (stake, stake);
    }

    function _forgetAll(uint256 gameId, Game storage game, bytes32 holder) internal {
        if (game.outcome == Outcome.Resolved) {
            _forget(_positions[gameId][game.answer][holder]);
            return;
        }
        uint256 choices = game.choiceCount;
        for (uint256 choice = 0; choice < choices; ++choice) {
            if (_positions[gameId][choice][holder].stake != 0) _forget(_positions[gameId][choice][holder]);
        }
    }

    function _uphold(uint256 gameId, Game storage game) internal {
        _credit(game.judge, game.bond);
        _resolveTo(gameId, game, game.answer, 0, true);
    }

    /// @dev Without a verdict the committed answer stands and nobody loses a bond: an absent committee must not be a
    /// way to undo a lost game.
    function _resolveDispute(uint256 gameId, Game storage game) internal {
        address disputer = _disputes[gameId].disputer;
        (bool reached, uint8 choice) = _verdictOf(gameId);
        if (!reached) {
            _credit(disputer, game.bond);
            _uphold(gameId, game);
            return;
        }
        uint256 paid = _payVerdict(gameId, choice, game.bond / VERDICT_PAY_DIVISOR);
        uint256 left = game.bond - paid;
        if (choice == game.answer) {
            _credit(game.judge, left);
            _uphold(gameId, game);
            return;
        }
        _credit(disputer, game.bond);
        if (choice == game.choiceCount) _void(gameId, game, left);
        else _resolveTo(gameId, game, choice, left, false);
    }

    /// @dev If nobody won, everybody is refunded, and there is no fee.
    function _resolveTo(uint256 gameId, Game storage game, uint8 choice, uint256 forfeited, bool paysJudge) internal {
        uint256 stake = _pools[gameId][choice].stake;
        if (stake == 0) {
            _void(gameId, game, forfeited);
            return;
        }
        uint256 shares = _supplyOf(gameId, choice);
        uint256 losing = _totalStake(gameId) - stake;
        uint256 fee = paysJudge ? _feeOf(game, losing) : 0;
        uint256 pot = losing - fee + forfeited;
        (game.answer, game.outcome) = (choice, Outcome.Resolved);
        _divide(gameId, pot, shares, stake);
        emit GameResolved(gameId, choice, pot, shares);
        if (fee != 0) emit JudgePaid(gameId, game.judge, fee);
        _credit(game.judge, fee);
    }

    /// @dev The Judge's bond goes to the bettors, or back to the Judge if there are none.
    function _voidForfeiting(uint256 gameId, Game storage game) internal {
        if (_totalStake(gameId) != 0) {
            _void(gameId, game, game.bond);
            return;
        }
        _credit(game.judge, game.bond);
        _void(gameId, game, 0);
    }

    function _void(uint256 gameId, Game storage game, uint256 pot) internal {
        uint256 total = _totalStake(gameId);
        game.outcome = Outcome.Void;
        _divide(gameId, pot, total, total);
        emit GameVoided(gameId, pot, total);
    }

    function _divide(uint256 gameId, uint256 pot, uint256 weight, uint256 stake) internal {
        // At most 16 choices of 96 bits and a bond of 112: 113 bits.
        _settlements[gameId] = Settlement(uint128(pot), uint128(weight), uint128(pot), uint128(stake));
    }

    function _burn(uint256 gameId, uint256 amount) internal {
        emit DustBurnt(gameId, amount);
        token.burn(amount);
    }
}
