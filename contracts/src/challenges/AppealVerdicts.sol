// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IAppeals} from "../interfaces/IAppeals.sol";
import {IRulings} from "../interfaces/IRulings.sol";
import {JuryVotes} from "../libraries/JuryVotes.sol";
import {Tally} from "../libraries/Tally.sol";
import {AppealCases} from "./AppealCases.sol";
import {ChallengeBonds} from "./ChallengeBonds.sol";

/// @title AppealVerdicts
/// @notice The part of `Challenges` that takes verdicts, and pays and slashes the seats.
abstract contract AppealVerdicts is AppealCases, ChallengeBonds {
    using JuryVotes for uint256;

    /// @dev Flag on top of a verdict's lane, or alone for one that stayed sealed.
    uint256 private constant JUDGED = 1 << 255;

    /// @inheritdoc IAppeals
    function commitVerdict(
        uint64 round,
        bytes32 peerKey,
        uint32 position,
        bytes32 seatKey,
        bytes32 commitment
    ) external {
        (bytes32 key, uint8 level, Level storage step) = _openCase(round, peerKey);
        _requireStep(step.openedRound + 1);
        _requireSpeaker(seatKey);
        if (_isParty(key, peerKey, msg.sender)) revert Challenges_OwnCase(msg.sender);
        if (step.drawn != step.seats) _rounds.drawBeacon(step.openedRound);
        if (_seatOf(key, level, step, position) != seatKey) revert Jury_NotDrawn(position, seatKey);
        _commit(_benchKey(key, level), position, seatKey, commitment);
        emit VerdictCommitted(round, peerKey, seatKey, level, position);
    }

    /// @inheritdoc IAppeals
    function revealVerdict(uint64 round, bytes32 peerKey, uint32 position, uint16 scoreMilli, bytes32 salt) external {
        (bytes32 key, uint8 level, Level storage step) = _openCase(round, peerKey);
        _requireStep(step.openedRound + 2);
        if (scoreMilli > Tally.MAX_SCORE && scoreMilli != Tally.UNAVAILABLE) {
            revert Challenges_ScoreOutOfRange(scoreMilli);
        }
        bytes32 benchKey = _benchKey(key, level);
        bytes32 seatKey = _verdicts[benchKey][position].seatKey;
        bytes32 commitment = keccak256(
            abi.encode(block.chainid, address(this), round, peerKey, level, position, seatKey, scoreMilli, salt)
        );
        _reveal(benchKey, position, commitment, scoreMilli);
        _found[benchKey] = _found[benchKey].withVote(scoreMilli);
        emit VerdictRevealed(round, peerKey, seatKey, level, position, scoreMilli);
    }

    /// @inheritdoc IAppeals
    function judgeSeats(uint64 round, bytes32 peerKey, uint8 level, uint32[] calldata positions) external {
        bytes32 key = _caseKey(round, peerKey);
        Case storage state = _cases[key];
        if (!state.isClosed || level == 0 || level > state.levels) revert Challenges_NoCase(round, peerKey);
        for (uint256 i = 0; i < positions.length; ++i) {
            Verdict storage verdict = _verdicts[_benchKey(key, level)][positions[i]];
            uint256 word = verdict.word;
            // Judged seats are skipped, so that concurrent calls do not conflict.
            if (!_isLeft(word)) continue;
            bool isVote = word <= MAX_LANE;
            verdict.word = JUDGED | (isVote ? word : 0);
            if (isVote) _judgeVote(round, peerKey, verdict.seatKey, level, word);
            else _judgeSealed(round, peerKey, verdict.seatKey, level);
        }
    }

    /// @inheritdoc IAppeals
    function leftToJudge(uint64 round, bytes32 peerKey, uint8 level) external view returns (uint256 positions) {
        mapping(uint256 position => Verdict given) storage bench = _verdicts[
            _benchKey(_caseKey(round, peerKey), level)
        ];
        for (uint256 position = 0; position < SECOND_JURY; ++position) {
            if (_isLeft(bench[position].word)) positions |= 1 << position;
        }
    }

    /// @dev Pays a vote for the result, and slashes one that a later verdict overturned.
    function _judgeVote(uint64 round, bytes32 peerKey, bytes32 seatKey, uint8 level, uint256 lane) internal {
        Case storage state = _cases[_caseKey(round, peerKey)];
        if (!_isPaid(state, lane)) {
            bool isBlamed = lane != Tally.UNAVAILABLE && state.overturned & (1 << level) != 0;
            if (isBlamed) _blame(round, peerKey, seatKey, level, IRulings.Fault.Overturned, address(0));
            return;
        }
        uint256 payWei = state.seatPayWei;
        if (payWei == 0) return;
        emit SeatPaid(round, peerKey, seatKey, level, payWei);
        _credit(_accountOf(seatKey), payWei);
    }

    /// @dev A jury commits and reveals at the same time as the votes on the round of the appeal.
    function _judgeSealed(uint64 round, bytes32 peerKey, bytes32 seatKey, uint8 level) internal {
        bytes32 key = _caseKey(round, peerKey);
        Level storage step = _cases[key].steps[level - 1];
        bool isHeard = _foundBy(key, level).heard() >= Tally.quorumOf(step.drawn);
        if (!isHeard && _votes.isOutage(step.openedRound)) return;
        _blame(round, peerKey, seatKey, level, IRulings.Fault.Sealed, address(0));
    }

    function _blame(
        uint64 round,
        bytes32 peerKey,
        bytes32 seatKey,
        uint8 level,
        IRulings.Fault fault,
        address wronged
    ) internal {
        emit SeatBlamed(round, peerKey, seatKey, level, fault);
        _votes.blame(round, seatKey, fault, wronged);
    }

    /// @dev Whether a seat committed to a verdict and was not judged. A silent seat may have had no time to look.
    function _isLeft(uint256 word) internal pure returns (bool isLeft) {
        return word != 0 && (word & JUDGED == 0 || word > JUDGED + MAX_LANE);
    }

    /// @dev Whether the bonds pay for a vote.
    function _isPaid(Case storage state, uint256 lane) internal view returns (bool isPaid) {
        if (state.paid == Paid.Every) return true;
        if (state.paid == Paid.Unavailable || lane == Tally.UNAVAILABLE) {
            return state.paid == Paid.Unavailable && lane == Tally.UNAVAILABLE;
        }
        return !_differs(uint16(lane - 1), state.finalMilli);
    }

    function _openCase(
        uint64 round,
        bytes32 peerKey
    ) internal view returns (bytes32 key, uint8 level, Level storage step) {
        key = _caseKey(round, peerKey);
        level = _cases[key].levels;
        if (level == 0 || _cases[key].isClosed) revert Challenges_NoCase(round, peerKey);
        step = _cases[key].steps[level - 1];
    }

    function _requireStep(uint64 dueRound) internal view {
        uint64 current = _currentRound();
        if (current != dueRound) revert Challenges_WrongRound(dueRound, current);
    }

    /// @dev Whether an account speaks for the peer, or has appealed.
    function _isParty(bytes32 key, bytes32 peerKey, address account) internal view returns (bool isParty) {
        Case storage state = _cases[key];
        if (account == _accountOf(peerKey) || account == state.steps[0].appellant) return true;
        return account == state.steps[1].appellant;
    }
}
