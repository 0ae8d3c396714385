// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {ICommittedWork} from "../interfaces/ICommittedWork.sol";
import {IRewardVotes} from "../interfaces/IRewardVotes.sol";
import {IRolloutCommitments} from "../interfaces/IRolloutCommitments.sol";
import {IRounds} from "../interfaces/IRounds.sol";

/// @title CommittedWork
/// @notice The part of `Challenges` that knows what was committed.
abstract contract CommittedWork is ICommittedWork {
    IRewardVotes internal immutable _votes;
    IRolloutCommitments internal immutable _commitments;
    IRounds internal immutable _rounds;

    /// @param votes Keeps the outcomes.
    constructor(IRewardVotes votes) {
        _votes = votes;
        _commitments = votes.rolloutCommitments();
        _rounds = votes.rounds();
    }

    /// @dev Once in the code, which is near the limit of a contract's size.
    function _currentRound() internal view returns (uint64 round) {
        return _rounds.currentRound();
    }

    function _requireCommitted(uint64 round, bytes32 peerKey, IRolloutCommitments.Work calldata work) internal view {
        bool isCommitment = _commitments.isCommitment(
            round,
            peerKey,
            work.root,
            work.leafCount,
            work.policyHash,
            work.contentId
        );
        if (!isCommitment) revert Challenges_NotCommitted(round, peerKey);
    }

    /// @dev The leaf must be under the root that the peer committed to.
    function _requireLeaf(
        uint64 round,
        bytes32 peerKey,
        IRolloutCommitments.Work calldata work,
        IRolloutCommitments.Leaf calldata leaf,
        bytes32[] calldata proof
    ) internal view {
        _requireCommitted(round, peerKey, work);
        bytes32 leafHash = _commitments.leafOf(round, peerKey, leaf);
        if (MerkleProof.processProofCalldata(proof, leafHash) != work.root) revert Challenges_NotUnderRoot(leafHash);
    }
}
