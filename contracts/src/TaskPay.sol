// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ITaskPay} from "./interfaces/ITaskPay.sol";
import {slotOf} from "./libraries/Ring.sol";
import {Tally} from "./libraries/Tally.sol";
import {ScoreOpenings} from "./ScoreOpenings.sol";

/// @title TaskPay
/// @notice The part of `Openings` that pays proposers.
abstract contract TaskPay is ScoreOpenings {
    /// @inheritdoc ITaskPay
    uint256 public constant PROPOSER_EMISSION_WEI = 100 ether;

    /// @inheritdoc ITaskPay
    function claimTask(TaskClaim calldata claim_) external {
        (uint64 round, uint32 shard, bytes32 proposerKey) = (claim_.round, claim_.shard, claim_.proposerKey);
        close(round, shard);
        (uint32 index, uint16 medianMilli) = agreedOf(round, shard);
        if (medianMilli == Tally.UNAVAILABLE || index != claim_.leaf.index) {
            revert Openings_NotAgreed(round, shard, claim_.leaf.index);
        }
        (uint32 ordinal, ) = drawnOf(round, shard);
        _requireOrdinal(round, claim_.peerKey, ordinal);
        _commitments.requireLeaf(round, claim_.peerKey, claim_.work, claim_.leaf, claim_.leafProof);
        _requireTask(claim_);
        // The shard is closed, so its word is of this round.
        Opened storage opened = _opened[slotOf(round, shard)];
        uint256 word = opened.lanes;
        if (word & TASK_PAID != 0) revert Openings_AlreadyPaid(round, shard);
        opened.lanes = word | TASK_PAID;
        uint256 learnedWei = (PROPOSER_EMISSION_WEI * 4 * medianMilli * (1000 - medianMilli)) / 1e6;
        uint256 amountWei = _partOf(learnedWei, round, shard);
        _earned[proposerKey] += amountWei;
        emit TaskPaid(round, proposerKey, shard, claim_.taskIndex, amountWei);
    }

    /// @dev Requires that the leaf answers a task of the proposer.
    function _requireTask(TaskClaim calldata claim_) internal view {
        (uint64 round, bytes32 proposerKey, uint32 index) = (claim_.round, claim_.proposerKey, claim_.taskIndex);
        (uint16 count, ) = _commitments.proposalOf(round, proposerKey);
        if (index >= count || claim_.leaf.taskHash != _commitments.taskHashOf(proposerKey, index)) {
            revert Openings_NotItsTask(round, proposerKey);
        }
    }
}
