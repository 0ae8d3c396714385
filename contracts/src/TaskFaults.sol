// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {IRolloutCommitments} from "./interfaces/IRolloutCommitments.sol";
import {IStakes} from "./interfaces/IStakes.sol";
import {ITaskFaults} from "./interfaces/ITaskFaults.sol";

/// @title TaskFaults
/// @notice The part of `Openings` that judges roots of tasks.
abstract contract TaskFaults is ITaskFaults {
    /// @inheritdoc ITaskFaults
    uint16 public constant TASK_FAULT_MILLI = 500;

    IRolloutCommitments internal immutable _commitments;
    IStakes internal immutable _stakes;

    mapping(uint64 round => mapping(bytes32 proposerKey => bool)) internal _faulty;

    /// @param commitments The commitments to work and tasks.
    constructor(IRolloutCommitments commitments) {
        _commitments = commitments;
        _stakes = commitments.stakes();
    }

    /// @inheritdoc ITaskFaults
    function challengeTasks(TaskFault calldata fault) external returns (uint256 lostWei) {
        (uint64 round, bytes32 proposerKey) = (fault.round, fault.proposerKey);
        _requireNotFaulty(round, proposerKey);
        (bytes32 first, ) = _requireTask(round, proposerKey, fault.tasks, fault.first, fault.firstProof);
        (bytes32 second, ) = _requireTask(round, proposerKey, fault.tasks, fault.second, fault.secondProof);
        bool isShared = fault.first.index == fault.second.index || fault.first.taskHash == fault.second.taskHash;
        bool isBeyond = fault.first.index >= fault.tasks.count;
        if (!isBeyond && (first == second || !isShared)) revert Openings_TasksStand(round, proposerKey);
        _faulty[round][proposerKey] = true;
        (lostWei, ) = _stakes.slash(IStakes.Duty.Proposer, proposerKey, TASK_FAULT_MILLI);
        emit TasksFaulty(round, proposerKey, fault.first.taskHash, lostWei, msg.sender);
    }

    /// @inheritdoc ITaskFaults
    function areFaulty(uint64 round, bytes32 proposerKey) external view returns (bool are) {
        return _faulty[round][proposerKey];
    }

    function _requireNotFaulty(uint64 round, bytes32 proposerKey) internal view {
        if (_faulty[round][proposerKey]) revert Openings_TasksFaulty(round, proposerKey);
    }

    /// @dev The proposer committed to the task; in which block.
    function _requireTask(
        uint64 round,
        bytes32 proposerKey,
        IRolloutCommitments.Tasks calldata tasks,
        IRolloutCommitments.Leaf calldata task,
        bytes32[] calldata proof
    ) internal view returns (bytes32 leaf, uint64 committedAt) {
        committedAt = _commitments.tasksCommittedAt(round, proposerKey, tasks);
        leaf = _commitments.leafOf(round, proposerKey, task);
        if (committedAt == 0 || !MerkleProof.verifyCalldata(proof, tasks.root, leaf)) {
            revert Openings_NotItsTask(round, proposerKey);
        }
    }
}
