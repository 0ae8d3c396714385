// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {RoundBeacons} from "./RoundBeacons.sol";
import {IRounds} from "./interfaces/IRounds.sol";

/// @title Rounds
contract Rounds is IRounds, RoundBeacons, AccessControl {
    /// @dev Rounds from `fromRound` on last `roundSeconds`, the first of them from `startsAtSec`. Under a manual
    /// schedule each round is its own span, of 0 seconds: it lasts until the next one.
    struct ScheduleSpan {
        // slot 0
        uint64 fromRound;
        uint40 startsAtSec;
        uint32 roundSeconds;
    }

    /// @dev Rounds from `fromRound` on are played in this environment.
    struct EnvironmentSpan {
        // slot 0
        uint64 fromRound;
        // slot 1
        bytes32 environmentHash;
    }

    /// @inheritdoc IRounds
    uint64 public constant FINALITY_ROUNDS = 3;

    /// @inheritdoc IRounds
    uint40 public constant NEVER = type(uint40).max;

    /// @inheritdoc IRounds
    bytes32 public constant SCHEDULE_MANAGER_ROLE = keccak256("SCHEDULE_MANAGER_ROLE");

    /// @inheritdoc IRounds
    bytes32 public constant ENVIRONMENT_MANAGER_ROLE = keccak256("ENVIRONMENT_MANAGER_ROLE");

    /// @inheritdoc IRounds
    bytes32 public constant ROUND_MANAGER_ROLE = keccak256("ROUND_MANAGER_ROLE");

    bool internal immutable _manual;

    /// @dev A copy of the last span of `_schedule`: nearly every call is about the current round, and reads one slot.
    ScheduleSpan internal _newest;

    /// @dev Both lists are strictly ascending by `fromRound`, starting with round 0.
    ScheduleSpan[] internal _schedule;
    EnvironmentSpan[] internal _environments;

    /// @param admin Holds every role at first.
    /// @param startsAtSec Start of round 0, Unix time, seconds.
    /// @param roundSeconds Length of each round, seconds; 0 for a manual schedule, which is for test networks.
    /// @param environmentHash Hash of the environment's specification, not zero.
    constructor(address admin, uint40 startsAtSec, uint32 roundSeconds, bytes32 environmentHash) {
        if (environmentHash == 0) revert Rounds_ZeroEnvironment(0);
        _manual = roundSeconds == 0;
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        _grantRole(SCHEDULE_MANAGER_ROLE, admin);
        _grantRole(ENVIRONMENT_MANAGER_ROLE, admin);
        _grantRole(ROUND_MANAGER_ROLE, admin);
        _pushSpan(ScheduleSpan(0, startsAtSec, roundSeconds));
        _environments.push(EnvironmentSpan(0, environmentHash));
        emit ScheduleSet(0, startsAtSec, roundSeconds);
        emit EnvironmentSet(0, environmentHash);
    }

    /// @inheritdoc IRounds
    function setSchedule(uint64 fromRound, uint32 roundSeconds) external onlyRole(SCHEDULE_MANAGER_ROLE) {
        if (_manual) revert Rounds_Manual();
        if (roundSeconds == 0) revert Rounds_ZeroLength(fromRound);
        _requireNotBegun(fromRound);
        uint256 startsAtSec = startOf(fromRound);
        if (startsAtSec > type(uint40).max) revert Rounds_StartTooLate(startsAtSec);

        while (_schedule.length != 0 && _schedule[_schedule.length - 1].fromRound >= fromRound) _schedule.pop();
        _pushSpan(ScheduleSpan(fromRound, uint40(startsAtSec), roundSeconds));
        emit ScheduleSet(fromRound, uint40(startsAtSec), roundSeconds);
    }

    /// @inheritdoc IRounds
    function advanceRound() external onlyRole(ROUND_MANAGER_ROLE) returns (uint64 round) {
        if (!_manual) revert Rounds_NotManual();
        round = roundAt(block.timestamp) + 1;
        uint40 startsAtSec = uint40(block.timestamp);
        _pushSpan(ScheduleSpan(round, startsAtSec, 0));
        emit ScheduleSet(round, startsAtSec, 0);
    }

    /// @inheritdoc IRounds
    function setEnvironment(uint64 fromRound, bytes32 environmentHash) external onlyRole(ENVIRONMENT_MANAGER_ROLE) {
        if (environmentHash == 0) revert Rounds_ZeroEnvironment(fromRound);
        _requireNotBegun(fromRound);

        while (_environments.length != 0 && _environments[_environments.length - 1].fromRound >= fromRound) {
            _environments.pop();
        }
        _environments.push(EnvironmentSpan(fromRound, environmentHash));
        emit EnvironmentSet(fromRound, environmentHash);
    }

    /// @inheritdoc IRounds
    function currentRound() external view returns (uint64 round) {
        return roundAt(block.timestamp);
    }

    /// @inheritdoc IRounds
    function lastQuarterOf(uint64 round) external view returns (uint256 fromSec) {
        uint256 endsAtSec = endOf(round);
        return endsAtSec - (endsAtSec - startOf(round)) / 4;
    }

    /// @inheritdoc IRounds
    function environmentOf(uint64 round) external view returns (bytes32 environmentHash) {
        uint256 i = _environments.length - 1;
        while (_environments[i].fromRound > round) --i;
        return _environments[i].environmentHash;
    }

    /// @inheritdoc IRounds
    function isManual() external view returns (bool manual) {
        return _manual;
    }

    /// @inheritdoc IRounds
    function roundAt(uint256 timestamp) public view returns (uint64 round) {
        ScheduleSpan memory span = _newest;
        for (uint256 i = timestamp < span.startsAtSec ? _schedule.length - 1 : 0; i > 0; --i) {
            span = _schedule[i - 1];
            if (timestamp >= span.startsAtSec) break;
        }
        if (timestamp < span.startsAtSec) revert Rounds_NotStarted(timestamp, span.startsAtSec);
        if (span.roundSeconds == 0) return span.fromRound;
        return SafeCast.toUint64(span.fromRound + (timestamp - span.startsAtSec) / span.roundSeconds);
    }

    /// @inheritdoc IRounds
    function firstOpenRound() public view returns (uint64 round) {
        return block.timestamp < _schedule[0].startsAtSec ? 0 : roundAt(block.timestamp) + 1;
    }

    /// @inheritdoc IRounds
    function startOf(uint64 round) public view returns (uint256 startsAtSec) {
        return _startIn(_spanOf(round), round);
    }

    /// @inheritdoc IRounds
    function endOf(uint64 round) public view returns (uint256 endsAtSec) {
        ScheduleSpan memory span = _spanOf(round);
        if (span.roundSeconds != 0) return _startIn(span, round) + span.roundSeconds;
        // No round comes after the last number.
        return round == type(uint64).max ? NEVER : startOf(round + 1);
    }

    function _pushSpan(ScheduleSpan memory span) internal {
        _newest = span;
        _schedule.push(span);
    }

    function _firstOpenRound() internal view override returns (uint64 round) {
        return firstOpenRound();
    }

    function _requireNotBegun(uint64 fromRound) internal view {
        uint64 open = firstOpenRound();
        if (fromRound < open) revert Rounds_AlreadyBegun(fromRound, open);
    }

    function _spanOf(uint64 round) internal view returns (ScheduleSpan memory span) {
        span = _newest;
        uint256 i = _schedule.length - 1;
        while (span.fromRound > round) span = _schedule[--i];
    }

    function _startIn(ScheduleSpan memory span, uint64 round) internal pure returns (uint256 startsAtSec) {
        if (span.roundSeconds == 0 && round > span.fromRound) return NEVER;
        return span.startsAtSec + uint256(round - span.fromRound) * span.roundSeconds;
    }
}
