// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IPeerRegistry} from "./IPeerRegistry.sol";
import {IRounds} from "./IRounds.sol";
import {IStakes} from "./IStakes.sol";
import {ITaskProposals} from "./ITaskProposals.sol";

/// @title IRolloutCommitments
/// @notice Commitments to work: once a round, each peer commits to a Merkle root over its rollouts.
/// @dev The preimage is in the event. Storage holds one word per peer and round, in a ring: enough to prove that a
/// commitment was made in time, and to what.
interface IRolloutCommitments is ITaskProposals {
    /// @notice Header of a rollout: what the chain needs of it, without its body.
    /// @param index Position among the peer's leaves of the round, from 0.
    /// @param taskHash Which task was solved: `taskHashOf` its proposer and index.
    /// @param policyHash Hash of the weights that solved it.
    /// @param seed The sampling seed.
    /// @param bodyHash sha-256 of the rollout's body.
    struct Leaf {
        uint32 index;
        bytes32 taskHash;
        bytes32 policyHash;
        bytes32 seed;
        bytes32 bodyHash;
    }

    /// @notice A peer's commitment of a round, whose hash is stored.
    /// @param root Merkle root of the leaves.
    /// @param leafCount Number of leaves.
    /// @param policyHash Hash of the weights that the round began with.
    /// @param contentId sha-256 of the bundle that holds the rollouts.
    struct Work {
        bytes32 root;
        uint32 leafCount;
        bytes32 policyHash;
        bytes32 contentId;
    }

    /// @notice Emitted when a peer commits to its rollouts of the current round. The last one of the round counts.
    /// @param round The round.
    /// @param peerKey The solver.
    /// @param ordinal Its place among the round's peers, by first commitment; an amendment keeps it.
    /// @param root Merkle root of the leaves.
    /// @param leafCount Number of leaves.
    /// @param policyHash Hash of the weights that the round began with.
    /// @param contentId sha-256 of the bundle that holds the rollouts.
    event RolloutsCommitted(
        uint64 indexed round,
        bytes32 indexed peerKey,
        uint32 ordinal,
        bytes32 root,
        uint32 leafCount,
        bytes32 policyHash,
        bytes32 contentId
    );

    /// @notice Emitted when a peer names the policy that will sample its rollouts in a future round. The last one
    /// before the round begins counts. Rollouts of any other policy, or without a named policy, score nothing.
    /// @param round The round that the policy samples in.
    /// @param peerKey The solver.
    /// @param policyHash Hash of the policy, under which it is published once the round has ended.
    event PolicyCommitted(uint64 indexed round, bytes32 indexed peerKey, bytes32 policyHash);

    /// @notice Thrown when rollouts are not committed for the current round.
    /// @param round The round given.
    /// @param currentRound The current round.
    error RolloutCommitments_NotCurrentRound(uint64 round, uint64 currentRound);

    /// @notice Thrown when a commitment is empty: no leaves, or a zero root.
    /// @param root The root given.
    /// @param count Leaves given.
    error RolloutCommitments_Empty(bytes32 root, uint32 count);

    /// @notice Thrown when the committed policy is zero.
    /// @param round The round.
    /// @param peerKey The peer.
    error RolloutCommitments_NoPolicy(uint64 round, bytes32 peerKey);

    /// @notice Thrown when a peer made no commitment in the round.
    /// @param round The round.
    /// @param peerKey The peer.
    error RolloutCommitments_NoCommitment(uint64 round, bytes32 peerKey);

    /// @notice Thrown when leaves are drawn for a round whose beacon is not recorded.
    /// @param round The round.
    error RolloutCommitments_NoBeacon(uint64 round);

    /// @notice Thrown when a call does not name the peer's commitment, or there is none.
    /// @param round The round.
    /// @param peerKey The peer.
    error RolloutCommitments_NotCommitted(uint64 round, bytes32 peerKey);

    /// @notice Thrown when a leaf is not under the root that was committed.
    /// @param leafHash The leaf.
    error RolloutCommitments_NotUnderRoot(bytes32 leafHash);

    /// @notice Commits to the rollouts of the current round; amendable until the round ends.
    /// @dev `round` is explicit, so that a late transaction reverts instead of committing to another round.
    /// @param round The current round.
    /// @param peerKey The solver; the sender must speak for it.
    /// @param root Merkle root of the leaves, not zero.
    /// @param leafCount Number of leaves, above 0.
    /// @param policyHash Hash of the weights that the round began with.
    /// @param contentId sha-256 of the bundle that holds the rollouts.
    /// @param nextPolicy Hash of the policy that will sample in the next round; zero to name none here.
    function commit(
        uint64 round,
        bytes32 peerKey,
        bytes32 root,
        uint32 leafCount,
        bytes32 policyHash,
        bytes32 contentId,
        bytes32 nextPolicy
    ) external;

    /// @notice Names the policy that will sample a peer's rollouts in a future round, for peers that did not do so in
    /// `commit`; amendable until that round begins.
    /// @dev Event only: evaluators compare a commitment's `policyHash` with it, and no transaction reads it.
    /// @param round The first round that has not begun.
    /// @param peerKey The solver; the sender must speak for it.
    /// @param policyHash Hash of the policy, not zero.
    function commitPolicy(uint64 round, bytes32 peerKey, bytes32 policyHash) external;

    /// @notice Whether a peer committed in a round.
    /// @dev Valid for the current round and the five before it; false if the word of an older round was reused.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @return made Whether it did.
    function committed(uint64 round, bytes32 peerKey) external view returns (bool made);

    /// @notice Reverts unless this is a peer's last commitment of a round; bounds as for `committed`.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param work The commitment.
    function requireCommitted(uint64 round, bytes32 peerKey, Work calldata work) external view;

    /// @notice Reverts unless this is a peer's last commitment of a round, and the leaf under its root. A leaf whose
    /// index is at or above the commitment's count passes.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param work The commitment.
    /// @param leaf The leaf.
    /// @param proof Siblings, from the leaf up.
    function requireLeaf(
        uint64 round,
        bytes32 peerKey,
        Work calldata work,
        Leaf calldata leaf,
        bytes32[] calldata proof
    ) external view;

    /// @notice How many peers committed in a round; bounds as for `committed`.
    /// @param round The round.
    /// @return count Number of peers.
    function committedCount(uint64 round) external view returns (uint256 count);

    /// @notice The places of peers among those of a round, by first commitment; bounds as for `committed`.
    /// @param round The round.
    /// @param peerKeys The peers; each must have committed in the round.
    /// @return ordinals Their places, from 0.
    function ordinalsOf(uint64 round, bytes32[] calldata peerKeys) external view returns (uint32[] memory ordinals);

    /// @notice The Merkle leaf of a rollout:
    /// `keccak256(keccak256(abi.encode(chainId, round, peerKey, index, taskHash, policyHash, seed, bodyHash)))`.
    /// @dev Hashed twice, so that no inner node passes for a leaf. The index is inside, since sorted-pair proofs
    /// prove no position; chain, round and peer are inside, so that nobody's root can be copied.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param leaf The rollout.
    /// @return hash The leaf.
    function leafOf(uint64 round, bytes32 peerKey, Leaf calldata leaf) external view returns (bytes32 hash);

    /// @notice Whether a leaf is under a root; pairs are sorted before they are hashed, as in OpenZeppelin's
    /// MerkleProof.
    /// @param root The root.
    /// @param leaf The leaf, as `leafOf` gives it.
    /// @param proof Siblings, from the leaf up.
    /// @return valid Whether it is.
    function verifyLeaf(bytes32 root, bytes32 leaf, bytes32[] calldata proof) external pure returns (bool valid);

    /// @notice The leaves of a peer that are scored in a round: drawn by the round's beacon from the leaves that it
    /// owes, so that missing leaves are drawn like any other, and count 0.
    /// @param round The round, whose beacon must be recorded.
    /// @param peerKey The peer.
    /// @param owed Leaves that a peer owes in the round, from the environment's specification.
    /// @param count How many are scored, from the specification.
    /// @return indices Positions among the peer's leaves, each once, in the order drawn.
    function sampledLeaves(
        uint64 round,
        bytes32 peerKey,
        uint32 owed,
        uint32 count
    ) external view returns (uint32[] memory indices);

    /// @notice The registry that says who speaks for a peer.
    /// @return registry The contract.
    function peerRegistry() external view returns (IPeerRegistry registry);

    /// @notice The clock.
    /// @return clock The contract.
    function rounds() external view returns (IRounds clock);

    /// @notice The contract that says who may propose.
    /// @return stakes_ The contract.
    function stakes() external view returns (IStakes stakes_);
}
