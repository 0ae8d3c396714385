// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRoundBeacons} from "./IRoundBeacons.sol";

/// @title IRounds
/// @notice The clock: rounds computed from the chain's time, and the environment of each round.
/// @dev Rounds advance without a transaction. A schedule is a list of spans; each has a first round, its start and the
/// length of its rounds. A new span applies only to rounds that have not begun. A test network may have a manual
/// schedule instead, chosen at deployment: a round lasts until a role ends it.
interface IRounds is IRoundBeacons {
    /// @notice Emitted when rounds from `fromRound` on get a length. Spans announced earlier for `fromRound` or later
    /// rounds are void.
    /// @param fromRound First round of the span.
    /// @param startsAtSec Start of that round, Unix time, seconds.
    /// @param roundSeconds Length of each round, seconds; 0 for a round of a manual schedule that has just begun.
    event ScheduleSet(uint64 indexed fromRound, uint40 startsAtSec, uint32 roundSeconds);

    /// @notice Emitted when rounds from `fromRound` on get an environment. Those announced earlier for `fromRound` or
    /// later rounds are void.
    /// @param fromRound First round of the span.
    /// @param environmentHash Hash of the environment's specification.
    event EnvironmentSet(uint64 indexed fromRound, bytes32 environmentHash);

    /// @notice Thrown when a time is before round 0.
    /// @param timestamp The time, Unix time, seconds.
    /// @param startsAtSec Start of round 0, Unix time, seconds.
    error Rounds_NotStarted(uint256 timestamp, uint256 startsAtSec);

    /// @notice Thrown when a change would apply to a round that has begun.
    /// @param fromRound First round of the change.
    /// @param firstOpenRound First round that has not begun.
    error Rounds_AlreadyBegun(uint64 fromRound, uint64 firstOpenRound);

    /// @notice Thrown when the length of rounds is zero.
    /// @param fromRound First round of the change.
    error Rounds_ZeroLength(uint64 fromRound);

    /// @notice Thrown when the round length of a manual schedule is set.
    error Rounds_Manual();

    /// @notice Thrown when a round of a computed schedule is ended by hand.
    error Rounds_NotManual();

    /// @notice Thrown when an environment's hash is zero.
    /// @param fromRound First round that would have it.
    error Rounds_ZeroEnvironment(uint64 fromRound);

    /// @notice Thrown when the start of a span does not fit `uint40` seconds.
    /// @param startsAtSec The start, Unix time, seconds.
    error Rounds_StartTooLate(uint256 startsAtSec);

    /// @notice Sets the length of rounds from `fromRound` on. Role: `SCHEDULE_MANAGER_ROLE`.
    /// @param fromRound First round of that length; it must not have begun.
    /// @param roundSeconds Length of each round, seconds, above 0.
    function setSchedule(uint64 fromRound, uint32 roundSeconds) external;

    /// @notice Ends the current round of a manual schedule and begins the next. Role: `ROUND_MANAGER_ROLE`.
    /// @return round The round that has begun.
    function advanceRound() external returns (uint64 round);

    /// @notice Sets the environment of rounds from `fromRound` on. Role: `ENVIRONMENT_MANAGER_ROLE`.
    /// @param fromRound First round in that environment; it must not have begun.
    /// @param environmentHash Hash of the environment's specification, not zero.
    function setEnvironment(uint64 fromRound, bytes32 environmentHash) external;

    /// @notice The round of the current block.
    /// @return round The round; reverts with `Rounds_NotStarted` before round 0.
    function currentRound() external view returns (uint64 round);

    /// @notice The round at a time, by the current schedule.
    /// @param timestamp Unix time, seconds.
    /// @return round The round; reverts with `Rounds_NotStarted` before round 0.
    function roundAt(uint256 timestamp) external view returns (uint64 round);

    /// @notice The first round that has not begun: 0 before the start, else the current round + 1.
    /// @return round The round.
    function firstOpenRound() external view returns (uint64 round);

    /// @notice Whether rounds are ended by hand.
    /// @return manual Whether they are.
    function isManual() external view returns (bool manual);

    /// @notice First second of a round.
    /// @param round The round.
    /// @return startsAtSec Unix time, seconds; `NEVER` for a round of a manual schedule that has not begun.
    function startOf(uint64 round) external view returns (uint256 startsAtSec);

    /// @notice First second after a round.
    /// @param round The round.
    /// @return endsAtSec Unix time, seconds; `NEVER` for a round of a manual schedule that has not ended.
    function endOf(uint64 round) external view returns (uint256 endsAtSec);

    /// @notice First second of a round's last quarter, in which settlement is closed. For a round of less than four
    /// seconds, its end.
    /// @param round The round.
    /// @return fromSec Unix time, seconds; far off for a round of a manual schedule that has not ended.
    function lastQuarterOf(uint64 round) external view returns (uint256 fromSec);

    /// @notice The environment of a round.
    /// @param round The round.
    /// @return environmentHash Hash of the environment's specification.
    function environmentOf(uint64 round) external view returns (bytes32 environmentHash);

    /// @notice k: round r is final once the current round is above r + k.
    /// @return rounds Number of rounds.
    function FINALITY_ROUNDS() external view returns (uint64 rounds);

    /// @notice The value for an unknown time.
    /// @return timeSec Unix time, seconds.
    function NEVER() external view returns (uint40 timeSec);

    /// @notice The role that may end a round of a manual schedule.
    /// @return role The role's id.
    function ROUND_MANAGER_ROLE() external view returns (bytes32 role);

    /// @notice The role that may change the schedule.
    /// @return role The role's id.
    function SCHEDULE_MANAGER_ROLE() external view returns (bytes32 role);

    /// @notice The role that may change the environment.
    /// @return role The role's id.
    function ENVIRONMENT_MANAGER_ROLE() external view returns (bytes32 role);
}
