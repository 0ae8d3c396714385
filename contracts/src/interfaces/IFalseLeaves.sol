// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ICommittedWork} from "./ICommittedWork.sol";
import {IRolloutCommitments} from "./IRolloutCommitments.sol";

/// @title IFalseLeaves
/// @notice Leaves that their header alone proves false. The chain decides in one call, without a bond: an honest leaf
/// cannot be annulled.
interface IFalseLeaves is ICommittedWork {
    /// @notice Emitted when a leaf was shown to be false: the peer has no score in that round.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param index The leaf's place.
    /// @param lostMilli Points that the peer loses.
    /// @param challenger Who proved it.
    event LeafFalse(
        uint64 indexed round,
        bytes32 indexed peerKey,
        uint32 index,
        uint16 lostMilli,
        address indexed challenger
    );

    /// @notice Thrown when a leaf is challenged during its round, while the commitment can still change, or once the
    /// round is final.
    /// @param round The round.
    /// @param currentRound The current round.
    error Challenges_NotChallengeable(uint64 round, uint64 currentRound);

    /// @notice Thrown when a leaf's header is correct.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param index The leaf's place.
    error Challenges_LeafStands(uint64 round, bytes32 peerKey, uint32 index);

    /// @notice Proves a committed leaf false by its header alone: its seed is not the one that the beacon drew, its
    /// policy is not the committed one, or its index is beyond the number of leaves. The peer gets no points for that
    /// round, or loses the points it got. Anyone may call, from the round's end until it is final.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param work Its commitment.
    /// @param leaf The leaf.
    /// @param proof Siblings, from the leaf up.
    function challengeLeaf(
        uint64 round,
        bytes32 peerKey,
        IRolloutCommitments.Work calldata work,
        IRolloutCommitments.Leaf calldata leaf,
        bytes32[] calldata proof
    ) external;
}
