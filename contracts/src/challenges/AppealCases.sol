// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IAppeals} from "../interfaces/IAppeals.sol";
import {Jury} from "../Jury.sol";
import {Draws} from "../libraries/Draws.sol";
import {JuryVotes} from "../libraries/JuryVotes.sol";
import {SEATS, Tally} from "../libraries/Tally.sol";
import {CommittedWork} from "./CommittedWork.sol";

/// @title AppealCases
/// @notice The part of `Challenges` that stores cases, with their juries and verdicts.
abstract contract AppealCases is IAppeals, CommittedWork, Jury {
    using JuryVotes for uint256;

    /// @dev Which votes of a case are paid: those near the final score, those of unavailable, or all.
    enum Paid {
        Near,
        Unavailable,
        Every
    }

    struct Case {
        // slot 0
        uint8 levels;
        bool isClosed;
        bool isMoot;
        uint8 settledOutcome;
        uint16 settledMilli;
        uint16 finalMilli;
        uint8 overturned; // bit `level`: whether that level's verdict was overturned
        Paid paid;
        uint96 seatPayWei;
        // slot 1
        uint256 committee; // see `_votesOn`
        // slot 2
        Level[2] steps;
    }

    /// @inheritdoc IAppeals
    uint32 public constant FIRST_JURY = 11;

    /// @inheritdoc IAppeals
    uint32 public constant SECOND_JURY = 23;

    /// @inheritdoc IAppeals
    uint8 public constant MAX_LEVELS = 2;

    uint256 internal immutable _toleranceMilli;
    uint256 internal immutable _firstBondWei;

    mapping(bytes32 caseKey => Case state) internal _cases;
    /// @dev See `JuryVotes`.
    mapping(bytes32 benchKey => uint256 votes) internal _found;

    /// @param firstBondWei The bond of a first appeal.
    constructor(uint256 firstBondWei) {
        _toleranceMilli = _votes.TOLERANCE_MILLI();
        _firstBondWei = firstBondWei;
    }

    /// @inheritdoc IAppeals
    function caseOf(uint64 round, bytes32 peerKey) external view returns (CaseView memory state) {
        Case storage kept = _cases[_caseKey(round, peerKey)];
        state = CaseView(
            kept.levels,
            kept.isClosed,
            kept.isMoot,
            kept.settledOutcome,
            kept.settledMilli,
            kept.finalMilli,
            kept.seatPayWei,
            kept.steps[kept.levels < 2 ? 0 : 1]
        );
    }

    /// @inheritdoc IAppeals
    function juryOf(uint64 round, bytes32 peerKey) external view returns (bytes32[] memory seatKeys) {
        bytes32 key = _caseKey(round, peerKey);
        uint8 level = _cases[key].levels;
        if (level == 0) revert Challenges_NoCase(round, peerKey);
        Level storage step = _cases[key].steps[level - 1];
        seatKeys = new bytes32[](step.drawn);
        uint32[] memory drawn = _drawOf(key, level, step);
        for (uint32 i = 0; i < seatKeys.length; ++i) {
            seatKeys[i] = _votes.seatAt(step.openedRound, drawn.length == 0 ? i : drawn[i]);
        }
    }

    /// @inheritdoc IAppeals
    function appealBond(uint8 level) public view returns (uint256 bondWei) {
        if (level == 0 || level > MAX_LEVELS) revert Challenges_NoLevel(level, MAX_LEVELS);
        return _firstBondWei << (level - 1);
    }

    function _foundBy(bytes32 key, uint8 level) internal view returns (uint256 votes) {
        return _found[_benchKey(key, level)];
    }

    /// @dev The seat at a position. In a jury of all seats, positions are seat numbers.
    function _seatOf(
        bytes32 key,
        uint8 level,
        Level storage step,
        uint32 position
    ) internal view returns (bytes32 seatKey) {
        if (position >= step.drawn) revert Jury_NotDrawn(position, 0);
        uint32[] memory drawn = _drawOf(key, level, step);
        return _votes.seatAt(step.openedRound, drawn.length == 0 ? position : drawn[position]);
    }

    /// @dev The seats that the beacon draws, or an empty list if all judge.
    function _drawOf(bytes32 key, uint8 level, Level storage step) internal view returns (uint32[] memory drawn) {
        if (step.drawn == step.seats) return drawn;
        bytes32 beacon = _beaconOf(step.openedRound);
        bytes32 seed = Draws.seedOf("waggle appeal", step.openedRound, beacon, _benchKey(key, level));
        return Draws.distinct(step.seats, step.drawn, seed);
    }

    /// @dev A level's verdict, if enough of its seats voted, and at least half of those had a bundle to score. Silent
    /// seats count for the current score: it is replaced only if more than half of the jury lie on one side of it.
    function _verdictOf(
        bytes32 key,
        uint8 level,
        uint32 drawn,
        uint16 standingMilli
    ) internal view returns (bool reached, uint16 scoreMilli) {
        uint256 found = _foundBy(key, level);
        uint256 heard = found.heard();
        uint256 available = heard - found.unavailable();
        if (heard < Tally.quorumOf(drawn) || heard > 2 * available) return (false, 0);
        scoreMilli = found.scoreAt((available - 1) / 2);
        if (!_differs(scoreMilli, standingMilli)) return (true, scoreMilli);
        uint256 most = Tally.quorumOf(drawn);
        if (available < most) return (false, 0);
        bool isLower = scoreMilli < standingMilli;
        uint16 nearest = found.scoreAt(isLower ? most - 1 : available - most);
        return (isLower == (nearest < standingMilli) && _differs(nearest, standingMilli), scoreMilli);
    }

    function _differs(uint16 a, uint16 b) internal view returns (bool differs) {
        return (a > b ? a - b : b - a) > _toleranceMilli;
    }

    /// @dev Whether a level's verdict cannot be appealed: all seats gave it, or the jury found no bundle and changes
    /// nothing.
    function _isFinal(
        bytes32 key,
        Case storage state,
        uint8 level,
        Level storage step
    ) internal view returns (bool isFinal) {
        if (level == MAX_LEVELS || step.drawn == step.seats) return true;
        return _isGone(key, level, step.drawn) && !_isTakable(state);
    }

    /// @dev Whether a jury that finds no bundle removes the score: a seat of the committee found none either.
    function _isTakable(Case storage state) internal view returns (bool isTakable) {
        uint256 committee = state.committee;
        for (uint256 position = 0; position < SEATS; ++position) {
            if (uint16(committee >> (48 * position)) == Tally.UNAVAILABLE) return _differs(state.settledMilli, 0);
        }
    }

    /// @dev Whether more than half of a jury, silent seats included, voted `unavailable`.
    function _isGone(bytes32 key, uint8 level, uint32 drawn) internal view returns (bool isGone) {
        return _foundBy(key, level).unavailable() >= Tally.quorumOf(drawn);
    }

    function _caseKey(uint64 round, bytes32 peerKey) internal pure returns (bytes32 key) {
        return keccak256(abi.encode(round, peerKey));
    }

    function _benchKey(bytes32 key, uint8 level) internal pure returns (bytes32 benchKey) {
        return keccak256(abi.encode(key, level));
    }
}
