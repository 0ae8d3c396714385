// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IAppeals} from "../interfaces/IAppeals.sol";
import {IRulings} from "../interfaces/IRulings.sol";
import {JuryVotes} from "../libraries/JuryVotes.sol";
import {FINALITY_ROUNDS} from "../libraries/Ring.sol";
import {SEATS, Tally} from "../libraries/Tally.sol";
import {AppealVerdicts} from "./AppealVerdicts.sol";

/// @title Appeals
/// @notice The part of `Challenges` that opens and closes cases, and divides bonds.
abstract contract Appeals is AppealVerdicts {
    using JuryVotes for uint256;

    /// @dev Result of a case.
    struct Ruling {
        uint16 standingMilli;
        bool isChanged;
        bool isTaken; // it is 0 since no bundle was found to score
        uint8 lastReached; // the last level with a verdict, 0 for none
        uint16[2] appealed; // the score before each appeal
    }

    /// @inheritdoc IAppeals
    function appeal(uint64 round, bytes32 peerKey) external payable {
        bytes32 key = _caseKey(round, peerKey);
        Case storage state = _cases[key];
        uint8 level = state.levels + 1;
        uint64 current = _currentRound();
        if (level == 1) {
            if (current != uint256(round) + FINALITY_ROUNDS)
                revert Challenges_NotAppealable(round, peerKey, 0, current);
        } else _requireAppealable(round, peerKey, state, current);
        if (msg.value != appealBond(level)) revert Challenges_WrongBond(msg.value, appealBond(level));
        uint32 seats = _votes.seatCountAt(current);
        uint32 most = level == 1 ? FIRST_JURY : SECOND_JURY;
        uint32 drawn = seats > most ? most : seats;
        state.levels = level;
        state.steps[level - 1] = Level(msg.sender, current, seats, uint128(msg.value), drawn);
        emit AppealOpened(round, peerKey, msg.sender, level, msg.value, drawn);
        if (level != 1) return;
        uint256 committee = _votesOn(round, peerKey);
        (uint8 outcome, uint16 scoreMilli) = _votes.openAppeal(round, peerKey, _votedOf(committee));
        if (outcome == 0 || outcome > Tally.OUTCOME_NO_QUORUM) {
            revert Challenges_NotAppealable(round, peerKey, outcome, current);
        }
        (state.settledOutcome, state.settledMilli) = (outcome, scoreMilli);
        state.committee = committee;
    }

    /// @inheritdoc IAppeals
    function closeAppeal(uint64 round, bytes32 peerKey) external {
        (bytes32 key, uint8 level, Level storage step) = _openCase(round, peerKey);
        Case storage state = _cases[key];
        uint64 dueRound = step.openedRound + (_isFinal(key, state, level, step) ? 3 : 4);
        uint64 current = _currentRound();
        if (current < dueRound) revert Challenges_WrongRound(dueRound, current);
        state.isClosed = true;
        Ruling memory ruling = _rule(key, state);
        uint8 outcome = _outcomeOf(state, ruling);
        uint16 settledMilli = state.settledMilli;
        state.finalMilli = ruling.standingMilli;
        bool isMoot = _votes.closeAppeal(round, peerKey, settledMilli, outcome, ruling.standingMilli);
        state.isMoot = isMoot;
        emit AppealClosed(round, peerKey, outcome, ruling.standingMilli, settledMilli, isMoot);
        _divide(key, peerKey, state, ruling);
        // A bundle that goes missing later does not incriminate those who scored it.
        if (ruling.isTaken || !_differs(settledMilli, ruling.standingMilli)) return;
        // The first appellant was right; so was the second, if the first verdict was overturned too.
        bool isSecond = level == 2 && ruling.lastReached == 2 && _differs(ruling.appealed[1], ruling.standingMilli);
        address[2] memory upheld = [state.steps[0].appellant, state.steps[isSecond ? 1 : 0].appellant];
        _blameCommittee(round, peerKey, state, upheld);
    }

    /// @dev Applies the levels in order: a verdict that differs from the current score replaces it. A jury that finds
    /// no bundle removes a score that no earlier jury confirmed, if a seat of the committee found none either.
    function _rule(bytes32 key, Case storage state) internal returns (Ruling memory ruling) {
        ruling.standingMilli = state.settledMilli;
        uint16[3] memory after_;
        uint8 levels = state.levels;
        for (uint8 level = 1; level <= levels; ++level) {
            ruling.appealed[level - 1] = ruling.standingMilli;
            uint32 drawn = state.steps[level - 1].drawn;
            (bool reached, uint16 scoreMilli) = _verdictOf(key, level, drawn, ruling.standingMilli);
            if (reached) ruling.isTaken = false;
            else if ((ruling.lastReached == 0 || ruling.isTaken) && _isTakable(state) && _isGone(key, level, drawn)) {
                (reached, ruling.isTaken) = (true, true);
            }
            if (reached) ruling.lastReached = level;
            if (reached && _differs(scoreMilli, ruling.standingMilli)) {
                (ruling.standingMilli, ruling.isChanged) = (scoreMilli, true);
            }
            after_[level] = ruling.standingMilli;
        }
        uint8 overturned = 0;
        for (uint8 level = 1; level <= levels; ++level) {
            if (!ruling.isTaken && _differs(after_[level], ruling.standingMilli)) overturned |= uint8(1 << level);
        }
        state.overturned = overturned;
    }

    /// @dev Half of each bond pays the seats that took part, whatever their verdict. The other half is returned to an
    /// appellant whose appealed score was overturned, or who got no verdict; else it goes to the appellants that were
    /// right, to the peer, or to the seats if the peer is the appellant.
    function _divide(bytes32 key, bytes32 peerKey, Case storage state, Ruling memory ruling) internal {
        uint256 feesWei = 0;
        uint256 lostWei = 0;
        address loser = address(0);
        address[2] memory upheld;
        uint256 upheldCount = 0;
        for (uint8 level = 1; level <= state.levels; ++level) {
            Level storage step = state.steps[level - 1];
            uint256 feeWei = _foundBy(key, level) != 0 ? step.bondWei / 2 : 0;
            feesWei += feeWei;
            bool isJudged = level <= ruling.lastReached;
            if (isJudged && !_differs(ruling.appealed[level - 1], ruling.standingMilli)) {
                lostWei += step.bondWei - feeWei;
                loser = step.appellant;
                continue;
            }
            if (isJudged) upheld[upheldCount++] = step.appellant;
            _credit(step.appellant, step.bondWei - feeWei);
        }
        if (lostWei != 0 && upheldCount == 0) {
            address account = _accountOf(peerKey);
            if (account != loser) (upheld[0], upheldCount) = (account, 1);
        }
        // Only the seats are right: they get all of it.
        if (upheldCount == 0) (feesWei, lostWei) = (feesWei + lostWei, 0);
        uint256 paid = _choosePaid(key, state, ruling);
        uint256 seatPayWei = paid == 0 ? 0 : feesWei / paid;
        state.seatPayWei = uint96(seatPayWei);
        for (uint256 i = 0; i < upheldCount; ++i) {
            uint256 shareWei = lostWei / (upheldCount - i);
            lostWei -= shareWei;
            _credit(upheld[i], shareWei);
        }
        // The rounding remainder, or all of it if no seat took part.
        _credit(state.steps[state.levels - 1].appellant, feesWei - seatPayWei * paid);
    }

    /// @dev Which votes are paid, and how many: those near the final score if there was a verdict, those of unavailable
    /// if no bundle was found, else all.
    function _choosePaid(bytes32 key, Case storage state, Ruling memory ruling) internal returns (uint256 count) {
        if (ruling.lastReached != 0 && !ruling.isTaken) return _countRight(key, state.levels, ruling.standingMilli);
        uint8 levels = state.levels;
        bool isGone = ruling.isTaken || _isGone(key, levels, state.steps[levels - 1].drawn);
        state.paid = isGone ? Paid.Unavailable : Paid.Every;
        for (uint8 level = 1; level <= levels; ++level) {
            uint256 found = _foundBy(key, level);
            count += isGone ? found.unavailable() : found.heard();
        }
    }

    /// @dev Slashes committee members whose votes the verdict overturned. Half of each loss goes to the successful
    /// appellants, in turn: an appeal that is right must not cost the appellant, since everyone benefits from the
    /// correction.
    function _blameCommittee(uint64 round, bytes32 peerKey, Case storage state, address[2] memory upheld) internal {
        uint256 word = state.committee;
        uint256 blamed = 0;
        for (uint256 position = 0; position < SEATS; ++position) {
            uint256 lane = uint16(word >> (48 * position));
            if (lane == 0 || lane == Tally.UNAVAILABLE) continue;
            if (!_differs(uint16(lane - 1), state.finalMilli)) continue;
            bytes32 seatKey = _votes.evaluatorAt(uint32(word >> (48 * position + 16)));
            _blame(round, peerKey, seatKey, 0, IRulings.Fault.Overturned, upheld[blamed++ % 2]);
        }
    }

    /// @dev The lower median of a committee's votes that are scores, times their share of all; 0 if there are fewer
    /// than two. As in `Tally.quorumOf`, no vote decides alone.
    function _votedOf(uint256 committee) internal pure returns (uint16 votedMilli) {
        uint256[SEATS] memory lanes;
        uint256 missed = 0;
        for (uint256 position = 0; position < SEATS; ++position) {
            uint256 lane = uint16(committee >> (48 * position));
            if (lane == Tally.UNAVAILABLE) ++missed;
            else lanes[position] = lane;
        }
        (, uint256 median, uint256 scored) = Tally.verdict(lanes, 2);
        return scored == 0 ? 0 : uint16((median * scored) / (scored + missed));
    }

    function _outcomeOf(Case storage state, Ruling memory ruling) internal view returns (uint8 outcome) {
        if (!ruling.isChanged) return state.settledOutcome;
        return ruling.isTaken ? Tally.OUTCOME_UNAVAILABLE : Tally.OUTCOME_SCORED;
    }

    function _countRight(bytes32 key, uint8 levels, uint256 finalMilli) internal view returns (uint256 count) {
        uint256 low = finalMilli < _toleranceMilli ? 0 : finalMilli - _toleranceMilli;
        uint256 high = finalMilli + _toleranceMilli;
        for (uint8 level = 1; level <= levels; ++level) count += _foundBy(key, level).countWithin(low, high);
    }

    /// @dev A verdict can be appealed in the round in which it is known, unless all seats gave it.
    function _requireAppealable(uint64 round, bytes32 peerKey, Case storage state, uint64 current) internal view {
        uint8 level = state.levels;
        Level storage step = state.steps[level - 1];
        bool isLast = _isFinal(_caseKey(round, peerKey), state, level, step);
        if (state.isClosed || isLast || current != step.openedRound + 3) {
            revert Challenges_NotAppealable(round, peerKey, state.settledOutcome, current);
        }
    }
}
