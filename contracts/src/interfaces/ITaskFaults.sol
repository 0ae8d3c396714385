// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRolloutCommitments} from "./IRolloutCommitments.sol";

/// @title ITaskFaults
/// @notice What a proposer loses its stake by: tasks that stand twice under its root.
/// @dev Judged at once and from headers alone, so that nobody has to answer and nobody posts a bond: an honest root
/// can't be shown to be at fault, and a challenge that fails costs its sender the gas.
interface ITaskFaults {
    /// @notice Two leaves under a root of tasks; one and the same to show that it has a place beyond the last.
    /// @param round The round that the tasks are for.
    /// @param proposerKey The proposer.
    /// @param tasks Its commitment.
    /// @param first A task's header.
    /// @param firstProof Siblings under `tasks.root`, from the leaf up.
    /// @param second Another's.
    /// @param secondProof Its siblings.
    struct TaskFault {
        uint64 round;
        bytes32 proposerKey;
        IRolloutCommitments.Tasks tasks;
        IRolloutCommitments.Leaf first;
        bytes32[] firstProof;
        IRolloutCommitments.Leaf second;
        bytes32[] secondProof;
    }

    /// @notice Emitted when the tasks of a round are shown to be at fault: they earn nothing.
    /// @param round The round.
    /// @param proposerKey The proposer.
    /// @param taskHash The task of the first leaf.
    /// @param lostWei Nectar that was burnt of the proposer's stake; 0 where it has none, as in bootstrap.
    /// @param challenger Who showed it.
    event TasksFaulty(
        uint64 indexed round,
        bytes32 indexed proposerKey,
        bytes32 taskHash,
        uint256 lostWei,
        address challenger
    );

    /// @notice Thrown when the proposer did not commit to a task, or to another than the leaf answers.
    /// @param round The round.
    /// @param proposerKey The proposer.
    error Openings_NotItsTask(uint64 round, bytes32 proposerKey);

    /// @notice Thrown when the leaves are two different tasks in two places that the commitment has.
    /// @param round The round.
    /// @param proposerKey The proposer.
    error Openings_TasksStand(uint64 round, bytes32 proposerKey);

    /// @notice Thrown when tasks that were shown to be at fault are challenged or claimed.
    /// @param round The round.
    /// @param proposerKey The proposer.
    error Openings_TasksFaulty(uint64 round, bytes32 proposerKey);

    /// @notice Shows that a root holds one task in two places, two tasks in one place, or one beyond its count. The
    /// proposer loses `TASK_FAULT_MILLI` of a full stake, once a round, and what its tasks of the round would be paid.
    /// While its commitment is known: for eight rounds. Anyone may call.
    /// @param fault The leaves.
    /// @return lostWei Nectar that was burnt.
    function challengeTasks(TaskFault calldata fault) external returns (uint256 lostWei);

    /// @notice Whether the tasks of a round were shown to be at fault.
    /// @param round The round.
    /// @param proposerKey The proposer.
    /// @return are Whether they were.
    function areFaulty(uint64 round, bytes32 proposerKey) external view returns (bool are);

    /// @notice What a root at fault costs.
    /// @return milli Thousandths of a proposer's full stake.
    function TASK_FAULT_MILLI() external view returns (uint16 milli);
}
