// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {IEvaluatorSeats} from "./interfaces/IEvaluatorSeats.sol";
import {IRounds} from "./interfaces/IRounds.sol";
import {Draws} from "./libraries/Draws.sol";
import {RoundHistory} from "./libraries/RoundHistory.sol";
import {SEATS} from "./libraries/Tally.sol";

/// @title EvaluatorSeats
/// @notice The part of `RewardVotes` that says who may sit in which round, and draws the committees.
abstract contract EvaluatorSeats is IEvaluatorSeats, AccessControl {
    using RoundHistory for uint256;

    /// @dev An evaluator, known since it first took a seat.
    struct Evaluator {
        // slot 0
        uint32 number; // from 1
        uint32 seatPlusOne; // its seat in the rounds that have not begun, 0 for none
        uint8 misses;
    }

    /// @inheritdoc IEvaluatorSeats
    bytes32 public constant EVALUATOR_ADMIN_ROLE = keccak256("EVALUATOR_ADMIN_ROLE");

    /// @inheritdoc IEvaluatorSeats
    uint256 public constant COMMITTEE_SEATS = SEATS;

    /// @inheritdoc IEvaluatorSeats
    uint8 public constant MAX_MISSES = 6;

    uint8 internal constant SILENT_MISSES = 1;
    uint8 internal constant SEALED_MISSES = 3;

    IRounds internal immutable _rounds;

    /// @dev Histories (see `RoundHistory`) of the number of seats, and of the evaluator's number in each.
    uint256 internal _seatCount;
    mapping(uint256 seat => uint256 numbers) internal _seats;

    uint32 internal _evaluatorCount;
    mapping(uint32 number => bytes32 evaluatorKey) internal _evaluatorKeys;
    mapping(bytes32 evaluatorKey => Evaluator evaluator) internal _evaluators;

    /// @param admin Holds every role at first.
    /// @param clock The clock.
    constructor(address admin, IRounds clock) {
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        _grantRole(EVALUATOR_ADMIN_ROLE, admin);
        _rounds = clock;
    }

    /// @inheritdoc IEvaluatorSeats
    function admitEvaluator(bytes32 peerKey) external onlyRole(EVALUATOR_ADMIN_ROLE) {
        Evaluator storage evaluator = _evaluators[peerKey];
        if (evaluator.seatPlusOne != 0) revert RewardVotes_AlreadySeated(peerKey);
        if (evaluator.number == 0) {
            evaluator.number = ++_evaluatorCount;
            _evaluatorKeys[evaluator.number] = peerKey;
        }
        uint64 fromRound = _rounds.firstOpenRound();
        uint32 seat = _seatCount.at(fromRound);
        _seats[seat] = _seats[seat].set(fromRound, evaluator.number);
        _seatCount = _seatCount.set(fromRound, seat + 1);
        evaluator.seatPlusOne = seat + 1;
        evaluator.misses = 0;
        emit EvaluatorAdmitted(peerKey, fromRound);
    }

    /// @inheritdoc IEvaluatorSeats
    function removeEvaluator(bytes32 peerKey) external onlyRole(EVALUATOR_ADMIN_ROLE) {
        if (_evaluators[peerKey].seatPlusOne == 0) {
            revert RewardVotes_NotSeated(peerKey, _rounds.firstOpenRound());
        }
        _unseat(peerKey);
    }

    /// @inheritdoc IEvaluatorSeats
    function seatsAt(uint64 round) external view returns (bytes32[] memory evaluatorKeys) {
        evaluatorKeys = new bytes32[](_seatCount.at(round));
        for (uint256 seat = 0; seat < evaluatorKeys.length; ++seat) {
            evaluatorKeys[seat] = _evaluatorKeys[_seats[seat].at(round)];
        }
    }

    /// @inheritdoc IEvaluatorSeats
    function committeeOf(uint64 round, uint32 shard) external view returns (bytes32[] memory evaluatorKeys) {
        uint32[] memory numbers = _drawCommittee(round, shard, _rounds.beaconOf(round));
        evaluatorKeys = new bytes32[](numbers.length);
        for (uint256 i = 0; i < numbers.length; ++i) evaluatorKeys[i] = _evaluatorKeys[numbers[i]];
    }

    /// @inheritdoc IEvaluatorSeats
    function missesOf(bytes32 evaluatorKey) external view returns (uint8 misses) {
        return _evaluators[evaluatorKey].misses;
    }

    /// @dev Adds to an evaluator's misses, and takes its seat when they are too many.
    function _miss(uint64 round, bytes32 evaluatorKey, uint8 more) internal {
        Evaluator storage evaluator = _evaluators[evaluatorKey];
        // One that sits no longer has nothing left to lose.
        if (evaluator.seatPlusOne == 0) return;
        evaluator.misses += more;
        emit EvaluatorMissed(round, evaluatorKey, evaluator.misses);
        if (evaluator.misses >= MAX_MISSES) _unseat(evaluatorKey);
    }

    /// @dev Who has revealed starts again from nothing.
    function _forgive(bytes32 evaluatorKey) internal {
        if (_evaluators[evaluatorKey].misses != 0) _evaluators[evaluatorKey].misses = 0;
    }

    /// @dev The last seat's evaluator moves into the gap; what sat where in rounds that have begun stays in the
    /// histories.
    function _unseat(bytes32 evaluatorKey) internal {
        uint64 fromRound = _rounds.firstOpenRound();
        uint32 last = _seatCount.at(fromRound) - 1;
        uint32 seat = _evaluators[evaluatorKey].seatPlusOne - 1;
        uint32 mover = _seats[last].at(fromRound);
        _seats[seat] = _seats[seat].set(fromRound, mover);
        _evaluators[_evaluatorKeys[mover]].seatPlusOne = seat + 1;
        _evaluators[evaluatorKey].seatPlusOne = 0;
        _seatCount = _seatCount.set(fromRound, last);
        emit EvaluatorRemoved(evaluatorKey, fromRound);
    }

    /// @dev Numbers of the evaluators that sit on a shard, by position.
    function _drawCommittee(
        uint64 round,
        uint32 shard,
        bytes32 beacon
    ) internal view returns (uint32[] memory numbers) {
        if (beacon == 0) revert RewardVotes_NoBeacon(round);
        bytes32 seed = Draws.seedOf("waggle committee", round, beacon, bytes32(uint256(shard)));
        numbers = Draws.distinct(_seatCount.at(round), COMMITTEE_SEATS, seed);
        for (uint256 i = 0; i < numbers.length; ++i) numbers[i] = _seats[numbers[i]].at(round);
    }
}
