// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRolloutCommitments} from "./interfaces/IRolloutCommitments.sol";
import {ITaskPay} from "./interfaces/ITaskPay.sol";
import {RING, SHARD_PEERS} from "./libraries/Ring.sol";
import {Tally} from "./libraries/Tally.sol";
import {TaskFaults} from "./TaskFaults.sol";

/// @title TaskPay
/// @notice The part of `Openings` that pays proposers.
abstract contract TaskPay is ITaskPay, TaskFaults {
    /// @dev The claim on the task of a shard; the next round of the ring pays it and writes over it.
    struct Claim {
        // slot 0
        bytes32 proposerKey;
        // slot 1
        uint64 round;
        uint64 committedAt; // block of the tasks' commitment, 0 for no claim
        uint128 amountWei;
    }

    /// @inheritdoc ITaskPay
    uint256 public constant PROPOSER_EMISSION_WEI = 100 ether;

    mapping(uint256 slot => Claim claim_) internal _claims;
    mapping(bytes32 peerKey => uint256 amountWei) internal _earned;

    /// @inheritdoc ITaskPay
    function claimTask(TaskClaim calldata claim_) external {
        (uint64 round, uint32 shard) = (claim_.round, claim_.shard);
        _close(round, shard);
        (uint32 index, uint16 medianMilli) = agreedOf(round, shard);
        if (medianMilli == Tally.UNAVAILABLE || index != claim_.leaf.index) {
            revert Openings_NotAgreed(round, shard, claim_.leaf.index);
        }
        _requireDrawnPeer(round, shard, claim_.peerKey);
        _requireLeaf(round, claim_.peerKey, claim_.work, claim_.leaf, claim_.leafProof);
        uint64 committedAt = _requireAnswered(claim_);
        Claim storage known = _claims[_slotOf(round, shard)];
        if (known.round == round && known.committedAt != 0 && known.committedAt <= committedAt) {
            revert Openings_ClaimedByEarlier(round, shard, known.committedAt);
        }
        if (known.round != round) _pay(known, shard);
        (known.proposerKey, known.round, known.committedAt) = (claim_.proposerKey, round, committedAt);
        uint256 amountWei = (PROPOSER_EMISSION_WEI * 4 * medianMilli * (1000 - medianMilli)) / 1e6 / _shardsOf(round);
        known.amountWei = uint128(amountWei);
        emit TaskClaimed(round, claim_.proposerKey, shard, claim_.leaf.taskHash, amountWei);
    }

    /// @inheritdoc ITaskPay
    function payTask(uint64 round, uint32 shard) external {
        _requireClaimsOver(round);
        Claim storage known = _claims[_slotOf(round, shard)];
        if (known.round == round) _pay(known, shard);
    }

    /// @inheritdoc ITaskPay
    function taskClaimOf(uint64 round, uint32 shard) external view returns (bytes32 proposerKey, uint256 amountWei) {
        Claim storage known = _claims[_slotOf(round, shard)];
        if (known.round == round && known.amountWei != 0) return (known.proposerKey, known.amountWei);
    }

    /// @inheritdoc ITaskPay
    function agreedOf(uint64 round, uint32 shard) public view virtual returns (uint32 index, uint16 medianMilli);

    function _pay(Claim storage known, uint32 shard) internal {
        uint256 amountWei = known.amountWei;
        if (amountWei == 0) return;
        known.amountWei = 0;
        if (_faulty[known.round][known.proposerKey]) return;
        _earned[known.proposerKey] += amountWei;
        emit TaskPaid(known.round, known.proposerKey, shard, amountWei);
    }

    /// @dev Closes the openings of a shard, whose round it must be.
    function _close(uint64 round, uint32 shard) internal virtual;

    function _requireClaimsOver(uint64 round) internal view virtual;

    function _requireDrawnPeer(uint64 round, uint32 shard, bytes32 peerKey) internal view virtual;

    function _requireLeaf(
        uint64 round,
        bytes32 peerKey,
        IRolloutCommitments.Work calldata work,
        IRolloutCommitments.Leaf calldata leaf,
        bytes32[] calldata proof
    ) internal view virtual;

    /// @dev The proposer committed to the task that the leaf answers; in which block.
    function _requireAnswered(TaskClaim calldata claim_) internal view returns (uint64 committedAt) {
        (uint64 round, bytes32 proposerKey) = (claim_.round, claim_.proposerKey);
        _requireNotFaulty(round, proposerKey);
        (, committedAt) = _requireTask(round, proposerKey, claim_.tasks, claim_.task, claim_.taskProof);
        if (claim_.task.taskHash != claim_.leaf.taskHash) revert Openings_NotItsTask(round, proposerKey);
    }

    function _shardsOf(uint64 round) internal view returns (uint256 shards) {
        return (_commitments.committedCount(round) + SHARD_PEERS - 1) / SHARD_PEERS;
    }

    function _slotOf(uint64 round, uint32 shard) internal pure returns (uint256 slot) {
        return ((round % RING) << 32) | shard;
    }
}
