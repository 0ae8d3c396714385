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
    /// @inheritdoc ITaskPay
    uint256 public constant PROPOSER_EMISSION_WEI = 100 ether;

    mapping(bytes32 peerKey => uint256 amountWei) internal _earned;

    /// @inheritdoc ITaskPay
    function claimTask(TaskClaim calldata claim_) external {
        (uint64 round, uint32 shard, bytes32 proposerKey) = (claim_.round, claim_.shard, claim_.proposerKey);
        _close(round, shard);
        (uint32 index, uint16 medianMilli) = agreedOf(round, shard);
        if (medianMilli == Tally.UNAVAILABLE || index != claim_.leaf.index) {
            revert Openings_NotAgreed(round, shard, claim_.leaf.index);
        }
        _requireDrawnPeer(round, shard, claim_.peerKey);
        _requireLeaf(round, claim_.peerKey, claim_.work, claim_.leaf, claim_.leafProof);
        _requireTask(claim_);
        _markPaid(round, shard);
        uint256 amountWei = (PROPOSER_EMISSION_WEI * 4 * medianMilli * (1000 - medianMilli)) / 1e6 / _shardsOf(round);
        _earned[proposerKey] += amountWei;
        emit TaskPaid(round, proposerKey, shard, claim_.taskIndex, amountWei);
    }

    /// @inheritdoc ITaskPay
    function agreedOf(uint64 round, uint32 shard) public view virtual returns (uint32 index, uint16 medianMilli);

    /// @dev Closes the openings of a shard, whose round it must be.
    function _close(uint64 round, uint32 shard) internal virtual;

    /// @dev Once a shard.
    function _markPaid(uint64 round, uint32 shard) internal virtual;

    function _requireDrawnPeer(uint64 round, uint32 shard, bytes32 peerKey) internal view virtual;

    function _requireLeaf(
        uint64 round,
        bytes32 peerKey,
        IRolloutCommitments.Work calldata work,
        IRolloutCommitments.Leaf calldata leaf,
        bytes32[] calldata proof
    ) internal view virtual;

    /// @dev The leaf answers a task of the proposer.
    function _requireTask(TaskClaim calldata claim_) internal view {
        (uint64 round, bytes32 proposerKey, uint32 index) = (claim_.round, claim_.proposerKey, claim_.taskIndex);
        (uint16 count, ) = _commitments.proposalOf(round, proposerKey);
        if (index >= count || claim_.leaf.taskHash != _commitments.taskHashOf(proposerKey, index)) {
            revert Openings_NotItsTask(round, proposerKey);
        }
    }

    function _shardsOf(uint64 round) internal view returns (uint256 shards) {
        return (_commitments.committedCount(round) + SHARD_PEERS - 1) / SHARD_PEERS;
    }

    function _slotOf(uint64 round, uint32 shard) internal pure returns (uint256 slot) {
        return ((round % RING) << 32) | shard;
    }
}
