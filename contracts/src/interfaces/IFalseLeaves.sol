// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ICommittedWork} from "./ICommittedWork.sol";
import {IRolloutCommitments} from "./IRolloutCommitments.sol";

/// @title IFalseLeaves
/// @notice Leaves that are false by their header alone. Decided in one call and by the chain, so that nobody needs a
/// bond: an honest leaf can't be annulled.
interface IFalseLeaves is ICommittedWork {
    /// @notice Emitted when a leaf was shown to be false: the peer has no score in that round.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param index The leaf's place.
    /// @param lostMilli Points that the peer had been given for the round, and loses.
    /// @param challenger Who showed it.
    event LeafFalse(
        uint64 indexed round,
        bytes32 indexed peerKey,
        uint32 index,
        uint16 lostMilli,
        address indexed challenger
    );

    /// @notice Thrown when a leaf is challenged while its round runs, when the commitment may still change, or once
    /// the round is final.
    /// @param round The round.
    /// @param currentRound The current round.
    error Challenges_NotChallengeable(uint64 round, uint64 currentRound);

    /// @notice Thrown when nothing in a leaf's header is false.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param index The leaf's place.
    error Challenges_LeafStands(uint64 round, bytes32 peerKey, uint32 index);

    /// @notice Shows that a committed leaf is false by its header alone: its seed is not the one that the beacon drew,
    /// its policy is not the one committed to, or its place is beyond the number of leaves. The peer gets no points
    /// for that round, or loses those that it was given. Anyone may call, from the round's end until it is final.
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
