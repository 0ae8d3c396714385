// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IFalseLeaves} from "../interfaces/IFalseLeaves.sol";
import {IRolloutCommitments} from "../interfaces/IRolloutCommitments.sol";
import {Draws} from "../libraries/Draws.sol";
import {FINALITY_ROUNDS} from "../libraries/Ring.sol";
import {CommittedWork} from "./CommittedWork.sol";

/// @title FalseLeaves
/// @notice The part of `Challenges` that checks headers.
abstract contract FalseLeaves is IFalseLeaves, CommittedWork {
    /// @inheritdoc IFalseLeaves
    function challengeLeaf(
        uint64 round,
        bytes32 peerKey,
        IRolloutCommitments.Work calldata work,
        IRolloutCommitments.Leaf calldata leaf,
        bytes32[] calldata proof
    ) external {
        uint64 current = _currentRound();
        if (current <= round || current > round + FINALITY_ROUNDS) {
            revert Challenges_NotChallengeable(round, current);
        }
        _commitments.requireLeaf(round, peerKey, work, leaf, proof);
        if (!_isFalse(round, peerKey, work, leaf)) revert Challenges_LeafStands(round, peerKey, leaf.index);
        uint16 lostMilli = _votes.annul(round, peerKey);
        emit LeafFalse(round, peerKey, leaf.index, lostMilli, msg.sender);
    }

    /// @dev Faults that the header alone proves: a seed that was not drawn, a policy that was not committed to, or an
    /// index beyond the commitment's leaves.
    function _isFalse(
        uint64 round,
        bytes32 peerKey,
        IRolloutCommitments.Work calldata work,
        IRolloutCommitments.Leaf calldata leaf
    ) internal view returns (bool isFalse) {
        bytes32 beacon = round == 0 ? bytes32(0) : _beaconOf(round - 1);
        if (leaf.index >= work.leafCount || leaf.policyHash != work.policyHash) return true;
        return leaf.seed != Draws.seedOf("waggle rollout", round, beacon, peerKey);
    }
}
