// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRolloutCommitments} from "./IRolloutCommitments.sol";
import {ITaskFaults} from "./ITaskFaults.sol";

/// @title ITaskPay
/// @notice Pays proposers for tasks that can be learnt from, as the opened scores of drawn leaves show it.
/// @dev The leaf on which a shard's openings agree answers one task. Its proposer gets `4 m (1 - m)` of the shard's
/// part of the emission, m being the median score: a task that nobody solves, or everybody, earns nothing. Who
/// committed to the task first is its proposer, so that copying tasks earns nothing.
interface ITaskPay is ITaskFaults {
    /// @notice That a task was answered by the drawn leaf.
    /// @param round The round.
    /// @param shard The shard.
    /// @param peerKey The peer that was drawn.
    /// @param work Its commitment.
    /// @param leaf The leaf's header.
    /// @param leafProof Siblings under `work.root`, from the leaf up.
    /// @param proposerKey The proposer.
    /// @param tasks Its commitment.
    /// @param task The task's header.
    /// @param taskProof Siblings under `tasks.root`, from the leaf up.
    struct TaskClaim {
        uint64 round;
        uint32 shard;
        bytes32 peerKey;
        IRolloutCommitments.Work work;
        IRolloutCommitments.Leaf leaf;
        bytes32[] leafProof;
        bytes32 proposerKey;
        IRolloutCommitments.Tasks tasks;
        IRolloutCommitments.Leaf task;
        bytes32[] taskProof;
    }

    /// @notice Emitted when a proposer claims the pay for a task, and nobody earlier has.
    /// @param round The round.
    /// @param proposerKey The proposer.
    /// @param shard The shard.
    /// @param taskHash The task.
    /// @param amountWei What it gets, unless an earlier proposer of the task claims as well.
    event TaskClaimed(
        uint64 indexed round,
        bytes32 indexed proposerKey,
        uint32 shard,
        bytes32 taskHash,
        uint256 amountWei
    );

    /// @notice Emitted when a proposer is paid for a task.
    /// @param round The round.
    /// @param proposerKey The proposer.
    /// @param shard The shard.
    /// @param amountWei How much.
    event TaskPaid(uint64 indexed round, bytes32 indexed proposerKey, uint32 shard, uint256 amountWei);

    /// @notice Thrown when a task is claimed for a leaf on which no openings agree.
    /// @param round The round.
    /// @param shard The shard.
    /// @param index The leaf.
    error Openings_NotAgreed(uint64 round, uint32 shard, uint32 index);

    /// @notice Thrown when a task is claimed that was claimed by who committed to it no later.
    /// @param round The round.
    /// @param shard The shard.
    /// @param committedAt Block of the commitment that has the claim.
    error Openings_ClaimedByEarlier(uint64 round, uint32 shard, uint64 committedAt);

    /// @notice Claims the pay for the task of a shard's leaf, in round r + 5, and closes the shard's openings if nobody
    /// has. Anyone may send it. A claim by an earlier commitment to the same task takes the place of a later one's.
    /// @param claim_ What is claimed.
    function claimTask(TaskClaim calldata claim_) external;

    /// @notice Pays the claim on a shard's task, from round r + 6 on; anyone may call, nothing to pay is no error.
    /// @param round The round.
    /// @param shard The shard.
    function payTask(uint64 round, uint32 shard) external;

    /// @notice The claim on a shard's task that is not paid yet.
    /// @param round The round.
    /// @param shard The shard.
    /// @return proposerKey The proposer, 0 where there is none.
    /// @return amountWei What it gets.
    function taskClaimOf(uint64 round, uint32 shard) external view returns (bytes32 proposerKey, uint256 amountWei);

    /// @notice The leaf on which the openings of a shard agree, closed or not; until the ring comes to their place.
    /// @param round The round.
    /// @param shard The shard.
    /// @return index The leaf.
    /// @return medianMilli The lower median of its scores; 65535 where there is none.
    function agreedOf(uint64 round, uint32 shard) external view returns (uint32 index, uint16 medianMilli);

    /// @notice Nectar that the tasks of a round earn at most.
    /// @return amountWei Nectar.
    function PROPOSER_EMISSION_WEI() external view returns (uint256 amountWei);
}
