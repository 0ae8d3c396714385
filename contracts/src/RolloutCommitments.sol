// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {IPeerRegistry} from "./interfaces/IPeerRegistry.sol";
import {IRolloutCommitments} from "./interfaces/IRolloutCommitments.sol";
import {IRounds} from "./interfaces/IRounds.sol";
import {Draws} from "./libraries/Draws.sol";
import {RING} from "./libraries/Ring.sol";

/// @title RolloutCommitments
contract RolloutCommitments is IRolloutCommitments {
    /// @inheritdoc IRolloutCommitments
    uint64 public constant RING_ROUNDS = RING;

    IPeerRegistry internal immutable _registry;
    IRounds internal immutable _rounds;

    /// @dev One word: round + 1 in the upper 64 bits, so that round 0 differs from an empty word; below them the
    /// lower 192 bits of the commitment's hash. A collision there costs its finder 2^96 hashes.
    mapping(bytes32 peerKey => uint256[RING] words) internal _words;

    /// @param registry Says who speaks for a peer.
    /// @param clock The clock.
    constructor(IPeerRegistry registry, IRounds clock) {
        _registry = registry;
        _rounds = clock;
    }

    /// @inheritdoc IRolloutCommitments
    function commitTasks(uint64 round, bytes32 peerKey, bytes32 root, uint32 count, bytes32 contentId) external {
        _requireAccount(peerKey);
        uint64 first = _rounds.firstOpenRound();
        if (round < first || round > first + 1) revert RolloutCommitments_RoundNotOpen(round, first, first + 1);
        if (root == 0 || count == 0) revert RolloutCommitments_Empty();
        emit TasksCommitted(round, peerKey, root, count, contentId);
    }

    /// @inheritdoc IRolloutCommitments
    function commit(
        uint64 round,
        bytes32 peerKey,
        bytes32 root,
        uint32 leafCount,
        bytes32 policyHash,
        bytes32 contentId
    ) external {
        _requireAccount(peerKey);
        uint64 current = _rounds.currentRound();
        if (round != current) revert RolloutCommitments_NotCurrentRound(round, current);
        if (root == 0 || leafCount == 0) revert RolloutCommitments_Empty();
        _words[peerKey][round % RING] = _wordOf(round, root, leafCount, policyHash, contentId);
        emit RolloutsCommitted(round, peerKey, root, leafCount, policyHash, contentId);
    }

    /// @inheritdoc IRolloutCommitments
    function committed(uint64 round, bytes32 peerKey) external view returns (bool made) {
        return _words[peerKey][round % RING] >> 192 == uint256(round) + 1;
    }

    /// @inheritdoc IRolloutCommitments
    function isCommitment(
        uint64 round,
        bytes32 peerKey,
        bytes32 root,
        uint32 leafCount,
        bytes32 policyHash,
        bytes32 contentId
    ) external view returns (bool same) {
        return _words[peerKey][round % RING] == _wordOf(round, root, leafCount, policyHash, contentId);
    }

    /// @inheritdoc IRolloutCommitments
    function leafOf(uint64 round, bytes32 peerKey, Leaf calldata leaf) external view returns (bytes32 hash) {
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

    /// @inheritdoc IRolloutCommitments
    function sampledLeaves(
        uint64 round,
        bytes32 peerKey,
        uint32 owed,
        uint32 count
    ) external view returns (uint32[] memory indices) {
        bytes32 beacon = _rounds.beaconOf(round);
        if (beacon == 0) revert RolloutCommitments_NoBeacon(round);
        return Draws.distinct(owed, count, Draws.seedOf("waggle sample", round, beacon, peerKey));
    }

    /// @inheritdoc IRolloutCommitments
    function verifyLeaves(
        bytes32 root,
        bytes32[] calldata leaves,
        bytes32[][] calldata proofs
    ) external pure returns (bool valid) {
        if (leaves.length != proofs.length) {
            revert RolloutCommitments_LengthMismatch(leaves.length, proofs.length);
        }
        for (uint256 i = 0; i < leaves.length; ++i) {
            if (!MerkleProof.verifyCalldata(proofs[i], root, leaves[i])) return false;
        }
        return true;
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
    function verifyLeaf(bytes32 root, bytes32 leaf, bytes32[] calldata proof) external pure returns (bool valid) {
        return MerkleProof.verifyCalldata(proof, root, leaf);
    }

    function _requireAccount(bytes32 peerKey) internal view {
        if (_registry.accountOf(peerKey) != msg.sender) revert RolloutCommitments_NotPeerAccount(peerKey, msg.sender);
    }

    function _wordOf(
        uint64 round,
        bytes32 root,
        uint32 leafCount,
        bytes32 policyHash,
        bytes32 contentId
    ) internal pure returns (uint256 word) {
        uint256 hash = uint256(keccak256(abi.encode(root, leafCount, policyHash, contentId)));
        return ((uint256(round) + 1) << 192) | uint192(hash);
    }
}
