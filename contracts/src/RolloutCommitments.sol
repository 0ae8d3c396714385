// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {IPeerRegistry} from "./interfaces/IPeerRegistry.sol";
import {IRolloutCommitments} from "./interfaces/IRolloutCommitments.sol";
import {IRounds} from "./interfaces/IRounds.sol";
import {IStakes} from "./interfaces/IStakes.sol";
import {Draws} from "./libraries/Draws.sol";
import {RING, tagOf} from "./libraries/Ring.sol";
import {TaskProposals} from "./TaskProposals.sol";

/// @title RolloutCommitments
contract RolloutCommitments is IRolloutCommitments, TaskProposals {
    /// @dev One word: the round's tag in the upper 32 bits, so that round 0 differs from an empty word; 32 bits of
    /// ordinal among the round's peers; the lower 192 bits of the commitment's hash. A collision costs an attacker 2^96
    /// hashes.
    mapping(bytes32 peerKey => uint256[RING] words) internal _words;

    /// @dev Peers that have committed: the round's tag in the upper 32 bits, then the number.
    uint256[RING] internal _counts;

    /// @param registry Says who speaks for a peer.
    /// @param clock The clock.
    /// @param stakes_ Says who may commit to a secret.
    constructor(IPeerRegistry registry, IRounds clock, IStakes stakes_) TaskProposals(registry, clock, stakes_) {}

    /// @inheritdoc IRolloutCommitments
    function commit(
        uint64 round,
        bytes32 peerKey,
        bytes32 root,
        uint32 leafCount,
        bytes32 policyHash,
        bytes32 contentId,
        bytes32 nextPolicy
    ) external {
        _requireMember(round, peerKey);
        uint64 current = _rounds.currentRound();
        if (round != current) revert RolloutCommitments_NotCurrentRound(round, current);
        if (root == 0 || leafCount == 0) revert RolloutCommitments_Empty(root, leafCount);
        uint256[RING] storage ring = _words[peerKey];
        uint256 place = round % RING;
        uint256 tag = tagOf(round);
        uint256 known = ring[place];
        uint32 ordinal = known >> 224 == tag ? uint32(known >> 192) : _nextOrdinal(place, tag);
        ring[place] = (tag << 224) | (uint256(ordinal) << 192) | _hashOf(root, leafCount, policyHash, contentId);
        emit RolloutsCommitted(round, peerKey, ordinal, root, leafCount, policyHash, contentId);
        if (nextPolicy != 0) emit PolicyCommitted(round + 1, peerKey, nextPolicy);
    }

    /// @inheritdoc IRolloutCommitments
    function commitPolicy(uint64 round, bytes32 peerKey, bytes32 policyHash) external {
        _requireMember(round, peerKey);
        _requireOpen(round, 0);
        if (policyHash == 0) revert RolloutCommitments_NoPolicy(round, peerKey);
        emit PolicyCommitted(round, peerKey, policyHash);
    }

    /// @inheritdoc IRolloutCommitments
    function committed(uint64 round, bytes32 peerKey) external view returns (bool made) {
        return _words[peerKey][round % RING] >> 224 == tagOf(round);
    }

    /// @inheritdoc IRolloutCommitments
    function requireLeaf(
        uint64 round,
        bytes32 peerKey,
        Work calldata work,
        Leaf calldata leaf,
        bytes32[] calldata proof
    ) external view {
        requireCommitted(round, peerKey, work);
        bytes32 hash = leafOf(round, peerKey, leaf);
        if (!MerkleProof.verifyCalldata(proof, work.root, hash)) revert RolloutCommitments_NotUnderRoot(hash);
    }

    /// @inheritdoc IRolloutCommitments
    function committedCount(uint64 round) external view returns (uint256 count) {
        uint256 word = _counts[round % RING];
        if (word >> 224 == tagOf(round)) count = uint32(word);
    }

    /// @inheritdoc IRolloutCommitments
    function ordinalsOf(uint64 round, bytes32[] calldata peerKeys) external view returns (uint32[] memory ordinals) {
        ordinals = new uint32[](peerKeys.length);
        for (uint256 i = 0; i < peerKeys.length; ++i) {
            uint256 word = _words[peerKeys[i]][round % RING];
            if (word >> 224 != tagOf(round)) revert RolloutCommitments_NoCommitment(round, peerKeys[i]);
            ordinals[i] = uint32(word >> 192);
        }
    }

    /// @inheritdoc IRolloutCommitments
    function sampledLeaves(
        uint64 round,
        bytes32 peerKey,
        uint32 owed,
        uint32 count
    ) external view returns (uint32[] memory indices) {
        bytes32 beacon = _rounds.beaconOf(round);
        if (beacon == 0) revert RolloutCommitments_NoBeacon(round);
        return Draws.distinctOfPool(owed, count, Draws.seedOf("waggle sample", round, beacon, peerKey));
    }

    /// @inheritdoc IRolloutCommitments
    function peerRegistry() external view returns (IPeerRegistry registry) {
        return _registry;
    }

    /// @inheritdoc IRolloutCommitments
    function rounds() external view returns (IRounds clock) {
        return _rounds;
    }

    /// @inheritdoc IRolloutCommitments
    function stakes() external view returns (IStakes stakes_) {
        return _stakes;
    }

    /// @inheritdoc IRolloutCommitments
    function verifyLeaf(bytes32 root, bytes32 leaf, bytes32[] calldata proof) external pure returns (bool valid) {
        return MerkleProof.verifyCalldata(proof, root, leaf);
    }

    /// @inheritdoc IRolloutCommitments
    function requireCommitted(uint64 round, bytes32 peerKey, Work calldata work) public view {
        uint256 word = _words[peerKey][round % RING];
        uint192 hash = _hashOf(work.root, work.leafCount, work.policyHash, work.contentId);
        if (word >> 224 != tagOf(round) || uint192(word) != hash) {
            revert RolloutCommitments_NotCommitted(round, peerKey);
        }
    }

    /// @inheritdoc IRolloutCommitments
    function leafOf(uint64 round, bytes32 peerKey, Leaf calldata leaf) public view returns (bytes32 hash) {
        bytes32 inner = keccak256(
            abi.encode(
                block.chainid,
                round,
                peerKey,
                leaf.index,
                leaf.taskHash,
                leaf.policyHash,
                leaf.seed,
                leaf.bodyHash
            )
        );
        return keccak256(abi.encode(inner));
    }

    function _nextOrdinal(uint256 place, uint256 tag) internal returns (uint32 ordinal) {
        uint256 word = _counts[place];
        if (word >> 224 == tag) ordinal = uint32(word);
        _counts[place] = (tag << 224) | (ordinal + 1);
    }

    function _hashOf(
        bytes32 root,
        uint32 leafCount,
        bytes32 policyHash,
        bytes32 contentId
    ) internal pure returns (uint192 hash) {
        return uint192(uint256(keccak256(abi.encode(root, leafCount, policyHash, contentId))));
    }
}
