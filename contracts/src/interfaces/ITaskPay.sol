// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRolloutCommitments} from "./IRolloutCommitments.sol";
import {ITaskFaults} from "./ITaskFaults.sol";

/// @title ITaskPay
/// @notice Pays proposers for learnable tasks, measured by the opened scores of drawn leaves.
/// @dev The leaf on which a shard's openings agree answers one task of one proposer, which its `taskHash` names. That
/// proposer gets `4 m (1 - m)` of the shard's part of the emission, m being the median score: a task that nobody or
/// everybody solves earns nothing.
interface ITaskPay is ITaskFaults {
    /// @notice Proof that the drawn leaf answers a task.
    /// @param round The round.
    /// @param shard The shard.
    /// @param taskIndex The task's place in its proposal.
    /// @param peerKey The peer that was drawn.
    /// @param work Its commitment.
    /// @param leaf The leaf's header.
    /// @param leafProof Siblings under `work.root`, from the leaf up.
    /// @param proposerKey The proposer.
    struct TaskClaim {
        uint64 round;
        uint32 shard;
        uint32 taskIndex;
        bytes32 peerKey;
        IRolloutCommitments.Work work;
        IRolloutCommitments.Leaf leaf;
        bytes32[] leafProof;
        bytes32 proposerKey;
    }

    /// @notice Emitted when a proposer is paid for a task.
    /// @param round The round.
    /// @param proposerKey The proposer.
    /// @param shard The shard.
    /// @param taskIndex The task's place in its proposal.
    /// @param amountWei Amount.
    event TaskPaid(
        uint64 indexed round,
        bytes32 indexed proposerKey,
        uint32 shard,
        uint32 taskIndex,
        uint256 amountWei
    );

    /// @notice Thrown when a task is claimed for a leaf on which no openings agree.
    /// @param round The round.
    /// @param shard The shard.
    /// @param index The leaf.
    error Openings_NotAgreed(uint64 round, uint32 shard, uint32 index);

    /// @notice Thrown when the leaf does not answer a task of the proposer.
    /// @param round The round.
    /// @param proposerKey The proposer.
    error Openings_NotItsTask(uint64 round, bytes32 proposerKey);

    /// @notice Thrown when a shard's task is claimed a second time.
    /// @param round The round.
    /// @param shard The shard.
    error Openings_AlreadyPaid(uint64 round, uint32 shard);

    /// @notice Pays the proposer of the task that a shard's leaf answers, in round r + 5, and closes the shard's
    /// openings if they are still open. Anyone may send it.
    /// @param claim_ The claim and its proof.
    function claimTask(TaskClaim calldata claim_) external;

    /// @notice The leaf on which the openings of a shard agree, closed or not, until the ring overwrites them.
    /// @param round The round.
    /// @param shard The shard.
    /// @return index The drawn leaf; 0 where no two seats opened it.
    /// @return medianMilli The lower median of its scores; 65535 where there is none.
    function agreedOf(uint64 round, uint32 shard) external view returns (uint32 index, uint16 medianMilli);

    /// @notice Most Nectar that the tasks of a round can earn.
    /// @return amountWei Nectar.
    function PROPOSER_EMISSION_WEI() external view returns (uint256 amountWei);
}
