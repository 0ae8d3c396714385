// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {IEvaluatorSeats} from "./interfaces/IEvaluatorSeats.sol";
import {IPeerRegistry} from "./interfaces/IPeerRegistry.sol";
import {IRounds} from "./interfaces/IRounds.sol";
import {IStakes} from "./interfaces/IStakes.sol";
import {Draws} from "./libraries/Draws.sol";
import {RoundHistory} from "./libraries/RoundHistory.sol";
import {SEATS} from "./libraries/Tally.sol";

/// @title EvaluatorSeats
/// @notice The part of `RewardVotes` that manages seats and draws the committees.
abstract contract EvaluatorSeats is IEvaluatorSeats, AccessControl {
    using RoundHistory for uint256;

    /// @dev An evaluator, known since it first took a seat.
    struct Evaluator {
        // slot 0
        uint32 number; // from 1
        uint8 misses;
    }

    /// @dev Histories (see `RoundHistory`) of the number of seats, and of the evaluator's number in each.
    struct SeatList {
        uint256 count;
        mapping(uint256 seat => uint256 numbers) numbers;
        mapping(bytes32 evaluatorKey => uint32 seat) seatPlusOne; // in the rounds that have not begun, 0 for none
    }

    /// @inheritdoc IEvaluatorSeats
    bytes32 public constant EVALUATOR_ADMIN_ROLE = keccak256("EVALUATOR_ADMIN_ROLE");

    /// @inheritdoc IEvaluatorSeats
    uint8 public constant MAX_MISSES = 6;

    uint8 internal constant SILENT_MISSES = 1;
    uint8 internal constant SEALED_MISSES = 3;

    /// @inheritdoc IEvaluatorSeats
    uint16 public constant SILENT_MILLI = 10;

    /// @inheritdoc IEvaluatorSeats
    uint16 public constant SEALED_MILLI = 100;

    /// @inheritdoc IEvaluatorSeats
    uint16 public constant OVERTURNED_MILLI = 500;

    IRounds internal immutable _rounds;
    IStakes internal immutable _stakes;
    IPeerRegistry internal immutable _registry;
    uint64 internal immutable _bootstrapRounds;

    /// @dev Seats of bootstrap, and staked seats.
    SeatList internal _admitted;
    SeatList internal _staked;

    uint32 internal _evaluatorCount;
    mapping(uint32 number => bytes32 evaluatorKey) internal _evaluatorKeys;
    mapping(bytes32 evaluatorKey => Evaluator evaluator) internal _evaluators;

    /// @param admin Holds every role at first.
    /// @param registry Says which keys count.
    /// @param clock The clock.
    /// @param stakes_ Holds the stakes, and says when bootstrap ends.
    constructor(address admin, IPeerRegistry registry, IRounds clock, IStakes stakes_) {
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        _grantRole(EVALUATOR_ADMIN_ROLE, admin);
        _rounds = clock;
        _stakes = stakes_;
        _registry = registry;
        _bootstrapRounds = stakes_.bootstrapRounds();
    }

    /// @inheritdoc IEvaluatorSeats
    function admitEvaluator(bytes32 peerKey) external onlyRole(EVALUATOR_ADMIN_ROLE) {
        if (_admitted.seatPlusOne[peerKey] != 0) revert RewardVotes_AlreadySeated(peerKey);
        uint64 fromRound = _firstOpenRound();
        if (fromRound >= _bootstrapRounds) revert RewardVotes_BootstrapOver(fromRound, _bootstrapRounds);
        _seat(_admitted, peerKey, fromRound);
        _evaluators[peerKey].misses = 0;
        emit EvaluatorAdmitted(peerKey, fromRound, false);
    }

    /// @inheritdoc IEvaluatorSeats
    function removeEvaluator(bytes32 peerKey) external onlyRole(EVALUATOR_ADMIN_ROLE) {
        if (_admitted.seatPlusOne[peerKey] == 0) {
            revert RewardVotes_NotSeated(peerKey, _firstOpenRound());
        }
        _unseat(peerKey, false);
    }

    /// @inheritdoc IEvaluatorSeats
    function takeSeat(bytes32 peerKey) external {
        _requireStakes();
        // The stake was topped up.
        if (_staked.seatPlusOne[peerKey] != 0) return;
        uint64 fromRound = _firstOpenRound();
        (, uint64 countsFrom) = _registry.membershipOf(peerKey);
        if (fromRound < countsFrom) revert RewardVotes_KeyTooNew(fromRound, peerKey, countsFrom);
        _seat(_staked, peerKey, fromRound);
        // Misses outlive the seat, so that leaving and returning does not clear them.
        if (_evaluators[peerKey].misses >= MAX_MISSES) _evaluators[peerKey].misses = 0;
        emit EvaluatorAdmitted(peerKey, fromRound < _bootstrapRounds ? _bootstrapRounds : fromRound, true);
    }

    /// @inheritdoc IEvaluatorSeats
    function leaveSeat(bytes32 peerKey) external {
        _requireStakes();
        _unseat(peerKey, true);
    }

    /// @inheritdoc IEvaluatorSeats
    function seatsAt(uint64 round) external view returns (bytes32[] memory evaluatorKeys) {
        SeatList storage list = _listOf(round);
        evaluatorKeys = new bytes32[](list.count.at(round));
        for (uint256 seat = 0; seat < evaluatorKeys.length; ++seat) {
            evaluatorKeys[seat] = _evaluatorKeys[list.numbers[seat].at(round)];
        }
    }

    /// @inheritdoc IEvaluatorSeats
    function seatCountAt(uint64 round) external view returns (uint32 seats) {
        return _listOf(round).count.at(round);
    }

    /// @inheritdoc IEvaluatorSeats
    function seatAt(uint64 round, uint32 seat) external view returns (bytes32 evaluatorKey) {
        return _evaluatorKeys[_listOf(round).numbers[seat].at(round)];
    }

    /// @inheritdoc IEvaluatorSeats
    function evaluatorAt(uint32 number) external view returns (bytes32 evaluatorKey) {
        return _evaluatorKeys[number];
    }

    /// @inheritdoc IEvaluatorSeats
    function committeeOf(uint64 round, uint32 shard) external view returns (bytes32[] memory evaluatorKeys) {
        uint32[] memory numbers = _drawCommittee(round, shard, _beaconOf(round));
        evaluatorKeys = new bytes32[](numbers.length);
        for (uint256 i = 0; i < numbers.length; ++i) evaluatorKeys[i] = _evaluatorKeys[numbers[i]];
    }

    /// @inheritdoc IEvaluatorSeats
    function missesOf(bytes32 evaluatorKey) external view returns (uint8 misses) {
        return _evaluators[evaluatorKey].misses;
    }

    /// @inheritdoc IEvaluatorSeats
    function stakes() external view returns (IStakes stakes_) {
        return _stakes;
    }

    function _miss(uint64 round, bytes32 evaluatorKey, bool isSealed) internal {
        if (isSealed) _punish(round, evaluatorKey, SEALED_MILLI, SEALED_MISSES, address(0));
        else _punish(round, evaluatorKey, SILENT_MILLI, SILENT_MISSES, address(0));
    }

    /// @dev Slashes an evaluator's stake, whether it still sits or not, adds to its misses, and removes its seats if it
    /// has too many. `Stakes` removes a seat with too small a stake.
    function _punish(uint64 round, bytes32 evaluatorKey, uint16 milli, uint8 misses, address wronged) internal {
        bool isSeated = _admitted.seatPlusOne[evaluatorKey] != 0 || _staked.seatPlusOne[evaluatorKey] != 0;
        _stakes.slash(IStakes.Duty.Evaluator, evaluatorKey, milli, wronged);
        if (!isSeated) return;
        Evaluator storage evaluator = _evaluators[evaluatorKey];
        evaluator.misses += misses;
        emit EvaluatorMissed(round, evaluatorKey, evaluator.misses);
        if (evaluator.misses < MAX_MISSES) return;
        _unseat(evaluatorKey, false);
        _unseat(evaluatorKey, true);
    }

    /// @dev A reveal clears the evaluator's misses.
    function _forgive(bytes32 evaluatorKey) internal {
        if (_evaluators[evaluatorKey].misses != 0) _evaluators[evaluatorKey].misses = 0;
    }

    function _seat(SeatList storage list, bytes32 peerKey, uint64 fromRound) internal {
        Evaluator storage evaluator = _evaluators[peerKey];
        if (evaluator.number == 0) {
            evaluator.number = ++_evaluatorCount;
            _evaluatorKeys[evaluator.number] = peerKey;
        }
        uint32 seat = list.count.at(fromRound);
        list.numbers[seat] = list.numbers[seat].set(fromRound, evaluator.number);
        list.count = list.count.set(fromRound, seat + 1);
        list.seatPlusOne[peerKey] = seat + 1;
    }

    /// @dev Where there is such a seat, the last one's evaluator moves into the gap; the histories keep the seats of
    /// rounds that have begun.
    function _unseat(bytes32 evaluatorKey, bool isStaked) internal {
        SeatList storage list = isStaked ? _staked : _admitted;
        if (list.seatPlusOne[evaluatorKey] == 0) return;
        uint64 fromRound = _firstOpenRound();
        uint32 last = list.count.at(fromRound) - 1;
        uint32 seat = list.seatPlusOne[evaluatorKey] - 1;
        uint32 mover = list.numbers[last].at(fromRound);
        list.numbers[seat] = list.numbers[seat].set(fromRound, mover);
        list.seatPlusOne[_evaluatorKeys[mover]] = seat + 1;
        list.seatPlusOne[evaluatorKey] = 0;
        list.count = list.count.set(fromRound, last);
        emit EvaluatorRemoved(evaluatorKey, fromRound, isStaked);
    }

    function _requireStakes() internal view {
        if (msg.sender != address(_stakes)) revert RewardVotes_NotStakes(msg.sender);
    }

    /// @dev This function and the next are not inlined: the code is near the size limit of a contract.
    function _firstOpenRound() internal view returns (uint64 round) {
        return _rounds.firstOpenRound();
    }

    function _beaconOf(uint64 round) internal view returns (bytes32 beacon) {
        return _rounds.beaconOf(round);
    }

    /// @dev Numbers of the evaluators that sit on a shard, by position.
    function _drawCommittee(
        uint64 round,
        uint32 shard,
        bytes32 beacon
    ) internal view returns (uint32[] memory numbers) {
        if (beacon == 0) revert RewardVotes_NoBeacon(round);
        bytes32 seed = Draws.seedOf("waggle committee", round, beacon, bytes32(uint256(shard)));
        SeatList storage list = _listOf(round);
        numbers = Draws.distinct(list.count.at(round), SEATS, seed);
        for (uint256 i = 0; i < numbers.length; ++i) numbers[i] = list.numbers[numbers[i]].at(round);
    }

    /// @dev The seats that count in a round.
    function _listOf(uint64 round) internal view returns (SeatList storage list) {
        return round < _bootstrapRounds ? _admitted : _staked;
    }
}
